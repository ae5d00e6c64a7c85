import { expect, test } from 'vitest';
import { canonicalQuantity, fractionOf, parseQuantity, wholeUnits } from './index.ts';

test.each([
  ['1.5Gi', '1536Mi'],
  ['0.5Gi', '512Mi'],
  ['1000000000', '1G'],
  ['1e9', '1e9'],
  ['20', '20'],
  ['0.5Ki', '512'],
  ['1500m', '1500m'],
  ['0', '0'],
  ['0Gi', '0'],
  ['.5', '500m'],
  ['1023', '1023'],
  ['1024Ki', '1Mi'],
  ['-1Gi', '-1Gi'],
])('%s is printed as %s', (text, canonical) => {
  expect(canonicalQuantity(text)).toBe(canonical);
});

test.each([
  ['20Gi', '18Gi'],
  ['10Gi', '9Gi'],
  ['100Mi', '90Mi'],
  ['1G', '900M'],
  ['7Gi', '6764573491'],
  ['1.5Gi', '1449551462'],
  ['1Ti', '989560464998'],
  ['333Gi', '321800424652'],
])('nine tenths of %s are %s', (text, part) => {
  expect(fractionOf(text, 9n, 10n)).toBe(part);
});

test.each([
  ['7Gi', '3584Mi'],
  ['1.5Gi', '768Mi'],
  ['1000000001', '500M'],
  ['1500m', '1'],
])('half of %s is %s', (text, part) => {
  expect(fractionOf(text, 1n, 2n)).toBe(part);
});

test('what is not a quantity is refused by name', () => {
  for (const text of ['', 'ten', '1Zi', '1 Gi', '--1', '1.2.3']) expect(() => parseQuantity(text)).toThrow(`"${text}"`);
  expect(wholeUnits(parseQuantity('1n'))).toBe(1n);
});
