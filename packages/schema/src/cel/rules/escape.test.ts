import fc from 'fast-check';
import { expect, it } from 'vitest';
import { escapeName, unescapeName } from './escape.ts';

it.each([
  ['a', 'a'],
  ['a-b', 'a__dash__b'],
  ['a.b', 'a__dot__b'],
  ['a/b', 'a__slash__b'],
  ['a__b', 'a__underscores__b'],
  ['namespace', '__namespace__'],
  ['', undefined],
  ['0a', undefined],
  ['a b', undefined],
  ['é', undefined],
])('%s is written %s', (name, escaped) => {
  expect(escapeName(name)).toBe(escaped);
});

it('every name that can be written is found again', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z_./-][a-z0-9_./-]{0,8}$/), (name) => {
      const escaped = escapeName(name);
      expect(escaped === undefined ? name : unescapeName(escaped)).toBe(name);
    }),
  );
});
