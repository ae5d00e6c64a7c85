import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cloneJson } from './clone.ts';
import { deepEqual } from './equal.ts';
import { deepFreeze } from './freeze.ts';

test('equality: absent and undefined are one, order of keys does not matter, order of lists does', () => {
  expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).toBe(true);
  expect(deepEqual({ a: 1 }, { b: 1 })).toBe(false);
  expect(deepEqual({ a: undefined, b: 1 }, { a: 1, b: undefined })).toBe(false);
  expect(deepEqual({ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 })).toBe(true);
  expect(deepEqual([1, 2], [2, 1])).toBe(false);
  expect(deepEqual([], {})).toBe(false);
  expect(deepEqual({}, null)).toBe(false);
  expect(deepEqual({ toString: 1 }, {})).toBe(false);
  expect(deepEqual({}, { toString: undefined })).toBe(true);
});

test('an integer is the same whether it is held as a number or as a bigint', () => {
  expect(deepEqual({ a: [5, 2 ** 53] }, { a: [5n, 9_007_199_254_740_992n] })).toBe(true);
  expect(deepEqual(5n, 5)).toBe(true);
  expect(deepEqual(9_007_199_254_740_993n, 9_007_199_254_740_993n)).toBe(true);
  expect(deepEqual(9_007_199_254_740_993n, 2 ** 53)).toBe(false);
  for (const other of [5.5, '5', true, null, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(deepEqual(5n, other)).toBe(false);
    expect(deepEqual(other, 5n)).toBe(false);
  }
});

test('a clone equals its source, shares nothing with it, and may be changed', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const copy = cloneJson(deepFreeze(value));
      expect(deepEqual(copy, value)).toBe(true);
      expect(JSON.stringify(copy)).toBe(JSON.stringify(value));
      if (typeof copy === 'object' && copy !== null) expect(copy).not.toBe(value);
    }),
    { seed: 1 },
  );
  const odd = JSON.parse('{"__proto__":{"polluted":1},"a":1}');
  const copy = cloneJson(odd);
  expect(Object.keys(copy)).toEqual(['__proto__', 'a']);
  expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  expect(Object.keys(cloneJson({ a: undefined }))).toEqual([]);
});

test('freezing reaches everything', () => {
  const value = deepFreeze({ a: [{ b: {} }] });
  expect(Object.isFrozen(value.a[0]?.b)).toBe(true);
});
