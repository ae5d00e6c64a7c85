import { describe, expect, it } from 'vitest';
import { applyMergePatch } from './merge-patch.ts';

describe('applyMergePatch', () => {
  it('merges maps, replaces lists and deletes nulls', () => {
    const doc = { a: { b: 1, c: 2 }, list: [1, 2], keep: { x: 1 } };
    const patched = applyMergePatch(doc, { a: { b: null, d: 3 }, list: [3] }) as typeof doc;
    expect(patched).toEqual({ a: { c: 2, d: 3 }, list: [3], keep: { x: 1 } });
    expect(patched.keep).toBe(doc.keep);
    expect(doc.a).toEqual({ b: 1, c: 2 });
  });

  it('drops nulls of values that are new', () => {
    expect(applyMergePatch({ l: [1] }, { n: { x: null, y: [null, { z: null }] }, l: [null, 2] })).toEqual({
      n: { y: [{}] },
      l: [2],
    });
  });

  it('does not find inherited keys', () => {
    expect(applyMergePatch({}, { constructor: { a: 1 } })).toEqual({ constructor: { a: 1 } });
  });

  it('answers 400 for what is no object', () => {
    expect(() => applyMergePatch({}, [1])).toThrow(
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    );
    expect(() => applyMergePatch({}, null)).toThrow('Invalid JSON Patch');
  });
});
