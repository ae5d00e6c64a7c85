import { expect, test } from 'vitest';
import { checkValue, maxDepth } from './check-value.ts';

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
};

test('JSON values pass, frozen or not, whatever their keys', () => {
  for (const value of [
    undefined,
    null,
    0,
    -0,
    'x',
    2n ** 63n - 1n,
    [],
    {},
    nested(maxDepth),
    JSON.parse('{"__proto__":{"toJSON":1}}'),
  ]) {
    expect(() => checkValue(value)).not.toThrow();
  }
});

test('what cannot be kept or written is refused with 400', () => {
  const circle: unknown[] = [];
  circle.push(circle);
  const odd = [Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol('x'), new Date(0), new URL('http://x')];
  for (const value of [nested(maxDepth + 1), nested(100_000), circle, ...odd.map((part) => ({ a: [part] }))]) {
    expect(() => checkValue(value)).toThrow(expect.objectContaining({ code: 400, reason: 'BadRequest' }));
  }
});
