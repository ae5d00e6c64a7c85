import { expect, test } from 'vitest';
import {
  hasDiscoveryFixed,
  hasInPlaceConfig,
  imageTag,
  matrixOneVersionOf,
  operatorVersionOf,
  parseVersion,
} from './index.ts';

test.each([
  ['2.1.0', '2.1.0'],
  ['v2.1.1', '2.1.1'],
  ['v2', '2.0.0'],
  ['1.2', '1.2.0'],
  ['01.02.03', '1.2.3'],
  ['1.1.2-rc1', '1.1.2-rc1'],
  ['v1.2.0-alpha.1', '1.2.0-alpha.1'],
  ['v3.0.16-bda12345-2026-06-24', '3.0.16-bda12345-2026-06-24'],
  ['1.2.3+build.7', '1.2.3+build.7'],
])('%s is version %s [case 4]', (text, canonical) => {
  expect(parseVersion(text)?.text).toBe(canonical);
});

test.each(['', 'latest', 'test', 'nightly-abc', '1.2-rc1', '1.2.x', '1.2.3-01', '1.2.3-', '5000/mo'])(
  '%j is no version',
  (text) => {
    expect(parseVersion(text)).toBeUndefined();
  },
);

test('the tag is what follows the last colon [case 2]', () => {
  expect(imageTag('mo:v1.2.3')).toBe('v1.2.3');
  expect(imageTag('registry:5000/mo:1.2.3')).toBe('1.2.3');
  expect([imageTag('mo'), imageTag('')]).toEqual(['', '']);
  // A registry's port is taken for a tag, as upstream does; it is no version, so the set is told to name one.
  expect(imageTag('registry:5000/mo')).toBe('5000/mo');
  expect(matrixOneVersionOf({ image: 'mo:latest' })).toBeUndefined();
  expect(matrixOneVersionOf({ image: 'mo:latest', semanticVersion: '3.0.0' })?.text).toBe('3.0.0');
});

test('gates open with the operator version, inside its major [case 4]', () => {
  expect(operatorVersionOf({}).text).toBe('1.2.0');
  expect(operatorVersionOf({ operatorVersion: 'nonsense' }).text).toBe('1.2.0');
  const gates = ['1.2.3', '1.3.0', '1.4.2', '2.0.0'].map((operatorVersion) => hasInPlaceConfig({ operatorVersion }));
  expect(gates).toEqual([false, true, true, false]);
});

test('discovery works since 2.0.0 on every later major [case 5]', () => {
  const on = ['2.0', '2.1', '3.0', '3.0.16-suffix', '4.0', '4.5', '1.2', '1.9.9', 'latest'].map((text) =>
    hasDiscoveryFixed(parseVersion(text)),
  );
  expect(on).toEqual([true, true, true, true, true, true, false, false, false]);
});
