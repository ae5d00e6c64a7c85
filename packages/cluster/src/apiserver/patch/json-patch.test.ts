import { ApiError } from '@coxswain/runtime/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJsonPatch } from './create-json-patch.ts';
import { applyJsonPatch } from './json-patch.ts';

function failure(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const doc = { metadata: { labels: { 'a/b': '1', 'c~d': '2' } }, spec: { list: [1, 2, 3], same: { x: 1 } } };

describe('applyJsonPatch', () => {
  it('adds, removes, replaces, moves and copies', () => {
    const patched = applyJsonPatch(doc, [
      { op: 'add', path: '/spec/list/1', value: 9 },
      { op: 'add', path: '/spec/list/-', value: 8 },
      { op: 'remove', path: '/metadata/labels/a~1b' },
      { op: 'replace', path: '/metadata/labels/c~0d', value: '3' },
      { op: 'copy', from: '/spec/same', path: '/spec/twin' },
      { op: 'replace', path: '/spec/twin/x', value: 2 },
      { op: 'move', from: '/spec/same', path: '/spec/moved' },
      { op: 'test', path: '/spec/twin', value: { x: 2 } },
    ]);
    expect(patched).toEqual({
      metadata: { labels: { 'c~d': '3' } },
      spec: { list: [1, 9, 2, 3, 8], twin: { x: 2 }, moved: { x: 1 } },
    });
  });

  it('leaves its input alone and shares what did not change', () => {
    const before = structuredClone(doc);
    const patched = applyJsonPatch(doc, [{ op: 'add', path: '/metadata/labels/x', value: 'y' }]) as typeof doc;
    expect(doc).toEqual(before);
    expect(patched.spec).toBe(doc.spec);
  });

  it('follows the real server where it is laxer than the RFC', () => {
    expect(applyJsonPatch({ a: {} }, [{ op: 'replace', path: '/a/b', value: 1 }])).toEqual({ a: { b: 1 } });
    expect(applyJsonPatch({ a: [1, 2] }, [{ op: 'remove', path: '/a/-1' }])).toEqual({ a: [1] });
    expect(applyJsonPatch({ a: 1 }, [{ op: 'test', path: '/missing', value: null }])).toEqual({ a: 1 });
    expect(applyJsonPatch({ a: 1 }, null)).toEqual({ a: 1 });
  });

  it.each([
    ['a failed test', [{ op: 'test', path: '/spec/list/0', value: 7 }]],
    ['a missing parent', [{ op: 'add', path: '/nope/deep', value: 1 }]],
    ['removal of a missing key', [{ op: 'remove', path: '/spec/nope' }]],
    ['an index out of range', [{ op: 'add', path: '/spec/list/4', value: 1 }]],
    ['an unknown operation', [{ op: 'merge', path: '/spec' }]],
    ['an operation that is null', [null]],
    ['a missing path', [{ op: 'add', value: 1 }]],
    ['the prototype as parent', [{ op: 'add', path: '/constructor/x', value: 1 }]],
  ])('answers the generic 422 for %s', (_, ops) => {
    expect(failure(() => applyJsonPatch(doc, ops)).status).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    });
  });

  it('answers 400 for what is no patch and 413 for too many operations', () => {
    expect(failure(() => applyJsonPatch(doc, {})).message).toBe(
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    );
    expect(failure(() => applyJsonPatch(doc, [{ op: 1 }])).code).toBe(400);
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/spec/list/0', value: 1 }));
    expect(failure(() => applyJsonPatch(doc, many)).status).toMatchObject({
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  it('refuses copies that would double the document past any size', () => {
    const ops = Array.from({ length: 60 }, (_, i) => ({ op: 'copy', from: '/spec', path: `/spec/x${i}` }));
    expect(failure(() => applyJsonPatch({ spec: { a: 'a' } }, ops)).code).toBe(422);
    expect(applyJsonPatch({ spec: { a: 'a' } }, ops.slice(0, 10))).toBeDefined();
  });

  it('keeps a key named __proto__ a key', () => {
    const patched = applyJsonPatch({}, [{ op: 'add', path: '/__proto__', value: { polluted: true } }]);
    expect(Object.keys(patched as object)).toEqual(['__proto__']);
    expect((patched as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe('createJsonPatch', () => {
  it('makes one operation of one insertion', () => {
    expect(createJsonPatch({ a: [1, 2, 3] }, { a: [1, 5, 2, 3] })).toEqual([{ op: 'add', path: '/a/1', value: 5 }]);
  });

  it('turns any document into any other', () => {
    const tree = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(tree, tree, (before, after) => {
        const from: unknown = JSON.parse(JSON.stringify(before));
        const to: unknown = JSON.parse(JSON.stringify(after));
        expect(applyJsonPatch(from, createJsonPatch(from, to))).toEqual(to);
        expect(createJsonPatch(to, structuredClone(to))).toEqual([]);
      }),
    );
  });
});
