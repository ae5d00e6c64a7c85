import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPatched } from '../client/json-patch.ts';
import { cloneJson } from '../core/index.ts';
import { patchBetween } from './patch-between.ts';

test('names only what differs', () => {
  const big = 9007199254740993n;
  const before = { spec: { kept: { big }, list: [{ n: 1, big }, { n: 2 }, { n: 3 }], gone: 1 }, 'a/b~c': { x: 1 } };
  const after = cloneJson(before) as { spec: { list: { n: number }[]; gone?: number }; 'a/b~c': { x: number } };
  delete after.spec.gone;
  after.spec.list[0] = { ...after.spec.list[0], n: 7 };
  after['a/b~c'].x = 2;
  expect(patchBetween(before, after)).toEqual([
    { op: 'remove', path: '/spec/gone' },
    { op: 'replace', path: '/spec/list/0/n', value: 7 },
    { op: 'replace', path: '/a~1b~0c/x', value: 2 },
  ]);
});

test('a list item that came or went moves no other', () => {
  expect(patchBetween([1, 2, 3, 4], [1, 3, 4])).toEqual([{ op: 'remove', path: '/1' }]);
  expect(patchBetween([1, 3, 4], [1, 2, 9, 3, 4])).toEqual([
    { op: 'add', path: '/1', value: 2 },
    { op: 'add', path: '/2', value: 9 },
  ]);
  expect(patchBetween([], [1])).toEqual([{ op: 'add', path: '/0', value: 1 }]);
});

test('a property set to undefined is removed, or was never there', () => {
  expect(patchBetween({ a: 1 }, { a: undefined })).toEqual([{ op: 'remove', path: '/a' }]);
  expect(patchBetween({}, { a: undefined })).toEqual([]);
});

test('the patch makes the one of the other, whatever they are', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof({ depthSize: 'small' }, fc.constantFrom(null, 0, 1, 'x', 7n), tie('list'), tie('map')),
    list: fc.array(tie('value'), { maxLength: 5 }),
    map: fc.dictionary(fc.constantFrom('a', 'b', 'c', '~/', '__proto__', ''), tie('value'), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(value, value, (before, after) => {
      expect(jsonPatched(before, patchBetween(before, after))).toEqual(cloneJson(after));
    }),
  );
});
