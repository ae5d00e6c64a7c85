import { expect, test } from 'vitest';
import { repeated } from './repeated.ts';

test('values are compared whole, whatever the order of their keys', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1' };
  const turned = { uid: '1', name: 'a', kind: 'Pod', apiVersion: 'v1', controller: undefined };
  const lists = [[1, 2], [2, 1], 3n, 3, { a: { c: 1, b: 2 } }, { a: { b: 2, c: 1 } }];
  expect(repeated([owner, { ...owner, uid: '2' }, turned, null, null, ...lists])).toEqual(
    [false, false, true, false, true].concat([false, false, false, false, false, true]),
  );
});

test('many values take no time that grows with their square', () => {
  const owners = Array.from({ length: 50_000 }, (_, index) => ({ uid: 'same', name: String(index) }));
  expect(repeated([...owners, ...owners]).filter(Boolean)).toHaveLength(50_000);
});
