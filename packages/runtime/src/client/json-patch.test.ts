import { expect, test } from 'vitest';
import { jsonPatched } from './json-patch.ts';
import type { JsonPatchOperation } from './types.ts';

const value = { a: { 'b/c': 1, 'd~e': 2 }, list: ['x', 'y'] };

test.each<[string, readonly JsonPatchOperation[], unknown]>([
  [
    'test and replace',
    [
      { op: 'test', path: '/a/b~1c', value: 1 },
      { op: 'replace', path: '/a/b~1c', value: 3 },
    ],
    { ...value, a: { 'b/c': 3, 'd~e': 2 } },
  ],
  ['remove', [{ op: 'remove', path: '/a/d~0e' }], { ...value, a: { 'b/c': 1 } }],
  [
    'add to a list, in the middle and at its end',
    [
      { op: 'add', path: '/list/1', value: 'm' },
      { op: 'add', path: '/list/-', value: 'z' },
    ],
    { ...value, list: ['x', 'm', 'y', 'z'] },
  ],
  ['replace an element', [{ op: 'replace', path: '/list/1', value: 'z' }], { ...value, list: ['x', 'z'] }],
  ['remove an element', [{ op: 'remove', path: '/list/0' }], { ...value, list: ['y'] }],
  ['move', [{ op: 'move', from: '/list/0', path: '/first' }], { a: value.a, list: ['y'], first: 'x' }],
  ['copy', [{ op: 'copy', from: '/a', path: '/b' }], { ...value, b: value.a }],
  ['replace the whole', [{ op: 'replace', path: '', value: { n: 1 } }], { n: 1 }],
])('%s', (_, operations, expected) => {
  const before = structuredClone(value);
  expect(jsonPatched(value, operations)).toEqual(expected);
  expect(value).toEqual(before);
});

test.each<[string, JsonPatchOperation]>([
  ['a test that does not hold', { op: 'test', path: '/list/0', value: 'y' }],
  ['a test of what is not there', { op: 'test', path: '/b', value: null }],
  ['a path through what is not there', { op: 'add', path: '/b/c', value: 1 }],
  ['a removal of what is not there', { op: 'remove', path: '/list/2' }],
  ['a replacement of what is not there', { op: 'replace', path: '/b', value: 1 }],
  ['an index past the end', { op: 'add', path: '/list/3', value: 'z' }],
  ['an index that is none', { op: 'add', path: '/list/01', value: 'z' }],
  ['a copy of what is inherited', { op: 'copy', from: '/constructor', path: '/b' }],
])('%s fails', (_, operation) => {
  expect(jsonPatched(value, [operation])).toBeUndefined();
});
