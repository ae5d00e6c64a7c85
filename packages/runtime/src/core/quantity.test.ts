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
  ['5.', '5'],
  ['+1k', '1k'],
  ['0Gi', '0'],
  ['1Ei', '1Ei'],
  ['100E', '9223372036854775807'],
  ['12E-3', '12e-3'],
])('%s is stored as %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

test.each(['', 'x', '1 Gi', '1gi', 'Gi', '.', '1.2.3', '1K', '--1', '1e', 'NaN', '0x10'])('"%s" is refused', (text) => {
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
      // Binary amounts are printed in whole units, rounded up.
      if (a.format === 'BinarySI') expect(quantityValue(a)).toBe(quantityValue(b));
      else expect(a.nano).toBe(b.nano);
    }),
    { seed: 1 },
  );
});
