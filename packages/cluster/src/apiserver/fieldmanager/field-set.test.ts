import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  equalSets,
  type FieldSet,
  has,
  intersection,
  pathsOf,
  recursiveDifference,
  setOf,
  union,
} from './field-set.ts';
import { decodeFields, encodeFields } from './fields-v1.ts';

const element = fc.constantFrom('f:a', 'f:b', 'f:c', 'k:{"name":"x","port":80}', 'k:{"name":"y"}', 'v:"s"', 'v:3');
const paths = fc.array(fc.array(element, { minLength: 1, maxLength: 4 }), { maxLength: 12 });
const sets = paths.map((list) => setOf(...list));

/** The same operations on lists of path texts: slow and obvious. */
const members = (set: FieldSet) => new Set(pathsOf(set));

describe('field sets', () => {
  it('behave as sets of paths', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        const [x, y] = [members(a), members(b)];
        expect(members(union(a, b))).toEqual(x.union(y));
        expect(members(intersection(a, b))).toEqual(x.intersection(y));
        expect(members(difference(a, b))).toEqual(x.difference(y));
        const below = (path: string) =>
          [...y].some((top) => path === top || (/^[.[]/.test(path.slice(top.length)) && path.startsWith(top)));
        expect(members(recursiveDifference(a, b))).toEqual(new Set([...x].filter((path) => !below(path))));
        expect(equalSets(union(a, b), union(b, a))).toBe(true);
        expect(equalSets(a, b)).toBe(x.symmetricDifference(y).size === 0);
      }),
    );
  });

  it('answer the same object when nothing changes, and no empty nodes', () => {
    fc.assert(
      fc.property(sets, sets, (a, b) => {
        expect(union(a, a)).toBe(a);
        expect(difference(a, difference(b, a))).toBe(a);
        expect(difference(union(a, b), union(b, a)).size).toBe(0);
      }),
    );
  });

  it('survive the wire', () => {
    fc.assert(
      fc.property(sets, (set) => {
        const wire = encodeFields(set);
        expect(equalSets(decodeFields(wire), set)).toBe(true);
        expect(equalSets(decodeFields(JSON.parse(JSON.stringify(wire))), set)).toBe(true);
      }),
    );
  });

  it('write elements in the order of the real server', () => {
    const set = setOf(
      ['v:"b"'],
      ['v:10'],
      ['v:9'],
      ['k:{"port":443}'],
      ['k:{"port":80}'],
      ['f:z'],
      ['i:1'],
      ['f:a', 'f:x'],
      ['f:a'],
    );
    expect(JSON.stringify(encodeFields(set))).toBe(
      '{"f:a":{".":{},"f:x":{}},"f:z":{},"k:{\\"port\\":80}":{},"k:{\\"port\\":443}":{},"v:9":{},"v:10":{},"v:\\"b\\"":{},"i:1":{}}',
    );
  });

  it('read what other writers wrote', () => {
    const set = decodeFields({ 'k:{"port": 80, "name":"x"}': { '.': {}, 'f:a': {} }, 'q:new': {}, 'f:b': {} });
    expect(has(set, ['k:{"name":"x","port":80}'])).toBe(true);
    expect(pathsOf(set)).toEqual(['.b', '[name="x",port=80]', '[name="x",port=80].a']);
    expect(() => decodeFields({ nonsense: {} })).toThrow('missing colon');
    expect(() => decodeFields({ 'f:a': 1 })).toThrow('does not hold an object');
    expect(() => decodeFields([])).toThrow('not an object');
  });
});
