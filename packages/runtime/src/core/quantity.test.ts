import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityMilliValue,
  quantityValue,
  scaleQuantity,
  subtractQuantities,
} from './quantity.ts';

test.each([
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['1e9', '1e9'],
  [1e9, '1G'],
  [0.5, '500m'],
  ['1000000001', '1000000001'],
  ['0.1', '100m'],
  ['1500m', '1500m'],
  ['1000m', '1'],
  ['1024Ki', '1Mi'],
  ['1Ki', '1Ki'],
  ['0.5Ki', '512'],
  ['1000Ki', '1000Ki'],
  ['0.0000000001', '1n'],
  ['-1.5', '-1500m'],
  ['.5', '500m'],
  ['0Gi', '0'],
  ['1Ei', '1Ei'],
  ['10.0', '10'],
  [' 1.5Gi ', '1536Mi'],
  // A fraction of a binary unit is not rounded.
  ['1.1Gi', '1181116006400m'],
  ['-1.1Gi', '-1181116006400m'],
  ['0.0001Ki', '102400u'],
  ['1.0000000001Ki', '1024000000103n'],
  // Only binary amounts end at 2^63-1.
  ['8Ei', '9223372036854775807'],
  ['-9Ei', '-9223372036854775807'],
  ['19953.1E', '19953100P'],
  ['9223372036854775808', '9223372036854775808'],
  // The server has no suffix beyond `E`, and prints none.
  ['1000E', '1'],
  ['1000e18', '1e21'],
  // No digits are zero, as long as nothing has to be worked out.
  ['.', '0'],
  ['-', '0'],
  ['Gi', '0'],
  ['1e-12', '1e-9'],
  ['1e003', '1e003'],
])('%s is stored as %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

test.each([
  ['+1k', '1k'],
  ['5.', '5'],
  ['007', '7'],
  ['1.500', '1500m'],
  ['5E3', '5e3'],
  ['12E-3', '12e-3'],
  ['5e+3', '5e3'],
  ['1e0', '1'],
  ['100E', '100E'],
  ['5.Gi', '5Gi'],
  ['+7Mi', '7Mi'],
])('%s is canonical to Go, and kept as it is written; what is computed from it is printed as %s', (text, computed) => {
  expect(canonicalQuantity(text)).toBe(text);
  expect(formatQuantity(addQuantities(parseQuantity(text), parseQuantity('0')))).toBe(computed);
});

test.each([
  ...['', ' ', 'x', '1 Gi', '1gi', '1.2.3', '1K', '--1', '1e', '1e+', 'NaN', '0x10', '1+3'],
  ...['Pi', 'Ei', '.n0', 'e-10', '1e1000'],
])('"%s" is refused', (text) => {
  expect(() => parseQuantity(text)).toThrow('is not a quantity');
});

// The vectors of spec/matrixone.md §2.7 and of the recorded runs.
test.each([
  ['20Gi', 9, 10, '18Gi'],
  ['10Gi', 9, 10, '9Gi'],
  ['100Mi', 9, 10, '90Mi'],
  ['1G', 9, 10, '900M'],
  ['7Gi', 9, 10, '6764573491'],
  ['1.5Gi', 9, 10, '1449551462'],
  ['7Gi', 1, 2, '3584Mi'],
  ['1.5Gi', 1, 2, '768Mi'],
  ['1000000001', 1, 2, '500M'],
  ['1500m', 1, 2, '1'],
  ['1Ti', 9, 10, '989560464998'],
  ['333Gi', 9, 10, '321800424652'],
] as const)('%s × %d/%d = %s', (text, numerator, denominator, result) => {
  expect(formatQuantity(scaleQuantity(parseQuantity(text), numerator, denominator))).toBe(result);
});

test('sums keep the family of the first, and comparison crosses families', () => {
  const q = parseQuantity;
  expect(formatQuantity(addQuantities(q('1Gi'), q('1G')))).toBe('2073741824');
  expect(formatQuantity(addQuantities(q('0'), q('1Gi')))).toBe('1Gi');
  expect(formatQuantity(subtractQuantities(q('2Gi'), q('512Mi')))).toBe('1536Mi');
  expect(formatQuantity(subtractQuantities(q('1'), q('250m')))).toBe('750m');
  expect(formatQuantity(addQuantities(q('1Ki'), q('100m')))).toBe('1024100m');
  // A binary text that means less than one starts a decimal sum.
  expect(formatQuantity(addQuantities(q('0.0001Ki'), q('1Ki')))).toBe('1024102400u');
  expect(formatQuantity(addQuantities(q('0.001Ki'), q('1Ki')))).toBe('1025024m');
  expect(compareQuantities(q('1Gi'), q('1G'))).toBeGreaterThan(0);
  expect(compareQuantities(q('1024Mi'), q('1Gi'))).toBe(0);
  expect(compareQuantities(q('999m'), q('1'))).toBeLessThan(0);
});

test('values round up, away from zero', () => {
  expect(quantityValue(parseQuantity('1500m'))).toBe(2n);
  expect(quantityValue(parseQuantity('-1500m'))).toBe(-2n);
  expect(quantityMilliValue(parseQuantity('1u'))).toBe(1n);
  expect(quantityMilliValue(parseQuantity('2.5'))).toBe(2500n);
});

test('canonical texts are read back as the same amount, and printed the same again', () => {
  const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'Ti', 'e3', 'e-2');
  const text = fc
    .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.nat(999), suffix)
    .map(([a, b, unit]) => `${a}.${b}${unit}`);
  fc.assert(
    fc.property(text, (source) => {
      const canonical = canonicalQuantity(source);
      expect(canonicalQuantity(canonical)).toBe(canonical);
      const [a, b] = [parseQuantity(source), parseQuantity(canonical)];
      expect(b.nano).toBe(a.nano);
    }),
    { seed: 1 },
  );
});
