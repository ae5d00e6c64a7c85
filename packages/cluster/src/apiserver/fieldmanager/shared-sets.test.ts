import { expect, test } from 'vitest';
import { equalSets, setOf } from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';
import { sharedSet } from './shared-sets.ts';

const spec = () => setOf(['f:spec'], ['f:spec', 'f:replicas'], ['f:spec', 'k:{"name":"a"}', 'f:image']);

test('sets of the same paths are one, with their notation', () => {
  // the first call may be the one at which remembering starts anew
  sharedSet(spec());
  expect(sharedSet(spec())).toBe(sharedSet(spec()));
  expect(encodeFields(spec())).toBe(encodeFields(spec()));
  expect(encodeFields(spec())).toEqual({
    'f:spec': { '.': {}, 'f:replicas': {}, 'k:{"name":"a"}': { 'f:image': {} } },
  });
  expect(equalSets(decodeFields(encodeFields(spec())), spec())).toBe(true);
});

test('sets that differ in a member, a level or an odd name stay apart', () => {
  const sets = [
    spec(),
    setOf(['f:spec', 'f:replicas'], ['f:spec', 'k:{"name":"a"}', 'f:image']),
    setOf(['f:a'], ['f:b']),
    setOf(['f:a;3+f:b']),
    setOf(['f:a', 'f:b']),
    setOf(['f:a'], ['f:a', 'f:b']),
  ];
  for (const set of sets) expect(equalSets(sharedSet(set), set)).toBe(true);
  expect(new Set(sets.map(sharedSet)).size).toBe(sets.length);
});
