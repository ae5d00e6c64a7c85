import type { CustomResourceDefinition, MutableJson } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { s } from '../builder/s.ts';
import type { Schema } from '../builder/schema.ts';
import { compileSchema } from '../engine/compile-schema.ts';
import { cloneJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { defineResource } from '../resource/define-resource.ts';
import { defineVersions } from '../resource/define-versions.ts';
import { anyFields, schemas } from '../test/arbitraries.ts';
import { diffCrd } from './diff-crd.ts';

const names = { group: 'demo.dev', kind: 'Echo', plural: 'echoes', scope: 'Namespaced' } as const;

function crdOf(spec: Schema<unknown>): CustomResourceDefinition {
  return defineResource({ ...names, version: 'v1', spec }).crd();
}

/** Changes between two schemas of one field, each in a line. */
function changes(before: Schema<unknown> | undefined, after: Schema<unknown> | undefined): readonly string[] {
  const of = (field: Schema<unknown> | undefined) => crdOf(s.object(field ? { a: field } : {}));
  return diffCrd(of(before), of(after)).map(({ severity, rule, path }) => `${severity} ${rule} ${path}`);
}

describe('a change of a field', () => {
  const item = s.object({ name: s.string(), port: s.int() });
  const breaking: readonly [string, Schema<unknown> | undefined, Schema<unknown> | undefined, string][] = [
    ['gone', s.string().optional(), undefined, 'field-removed spec.a'],
    ['another type', s.string(), s.int(), 'type-changed spec.a'],
    ['a new field that must be there', undefined, s.string(), 'field-required spec.a'],
    ['a field that must now be there', s.string().optional(), s.string(), 'field-required spec.a'],
    ['fewer words', s.enum('x', 'y'), s.enum('x'), 'enum-narrowed spec.a'],
    ['words at all', s.string(), s.enum('x'), 'enum-narrowed spec.a'],
    ['a higher minimum', s.int().min(1), s.int().min(2), 'limit-tightened spec.a'],
    ['a limit excluded', s.int().min(1), s.int().exclusiveMin(1), 'limit-tightened spec.a'],
    ['a maximum', s.int(), s.int().max(1), 'limit-tightened spec.a'],
    ['another step', s.int().multipleOf(3), s.int().multipleOf(2), 'limit-tightened spec.a'],
    ['shorter texts', s.string().maxLength(9), s.string().maxLength(8), 'limit-tightened spec.a'],
    ['fewer items', s.list(s.int()), s.list(s.int()).maxItems(8), 'limit-tightened spec.a'],
    ['a pattern', s.string(), s.string().pattern('^a'), 'pattern-changed spec.a'],
    ['a format', s.string(), s.dateTime(), 'format-added spec.a'],
    ['another default', s.int().default(1), s.int().default(2), 'default-changed spec.a'],
    ['no null', s.int().nullable(), s.int(), 'null-refused spec.a'],
    ['another kind of list', s.list(s.string()), s.set(s.string()), 'list-changed spec.a'],
    ['another key', s.listMap('name', item), s.listMap('port', item), 'list-changed spec.a'],
    ['another way to merge', s.object({}), s.object({}).atomic(), 'list-changed spec.a'],
    ['a rule', s.int(), s.int().rule('self > 1'), 'rule-added spec.a'],
    ['pruning', s.anyObject(), s.object({}), 'unknown-pruned spec.a'],
    ['a limit of items', s.list(s.int()), s.list(s.int().min(1)), 'limit-tightened spec.a[*]'],
    ['a limit of values', s.map(s.int()), s.map(s.int().min(1)), 'limit-tightened spec.a[*]'],
    ['a limit deeper', s.object({ b: s.int() }), s.object({ b: s.int().min(1) }), 'limit-tightened spec.a.b'],
    [
      'a type where there was none',
      s.anyObject(),
      s.object({ b: s.int().optional() }).preserveUnknown(),
      'type-changed spec.a.b',
    ],
  ];
  it.each(breaking)('breaks: %s', (_, before, after, change) =>
    expect(changes(before, after)).toEqual([`error ${change}`]),
  );

  it('that takes the default away breaks, also as what is required', () => {
    expect(changes(s.int().default(1), s.int().optional())).toEqual(['error default-removed spec.a']);
  });

  it('can mean more than before', () => {
    expect(changes(s.enum('x'), s.enum('x', 'y'))).toEqual(['warning enum-extended spec.a']);
    expect(changes(s.int().optional(), s.int().default(1))).toEqual(['warning default-added spec.a']);
    const [kept] = changes(s.object({ b: s.int() }).preserveUnknown(), s.anyObject());
    expect(kept).toBe('warning field-removed spec.a.b');
  });

  it('breaks nothing that allows more, or says it in other words', () => {
    const strict = s.object({ b: s.int32().min(1).max(5).multipleOf(4).rule('self > 0'), c: s.string().pattern('^a') });
    const loose = s.object({
      b: s.int32().max(6).multipleOf(2).describe('x'),
      c: s.string().optional(),
      d: s.int().optional(),
    });
    expect(changes(strict, loose)).toEqual([]);
    expect(changes(s.list(s.int()), s.list(s.int()).atomic())).toEqual([]);
    expect(changes(undefined, s.int().default(1))).toEqual([]);
  });
});

describe('a change of the kind', () => {
  const spec = s.object({ a: s.int().optional() });
  const one = crdOf(spec);
  const rules = (before: CustomResourceDefinition, after: CustomResourceDefinition) =>
    diffCrd(before, after).map(({ rule, version }) => (version === undefined ? rule : `${rule} ${version}`));

  it('of its scope or names breaks', () => {
    expect(rules(one, { ...one, spec: { ...one.spec, scope: 'Cluster' } })).toEqual(['scope-changed']);
    expect(rules(one, { ...one, spec: { ...one.spec, names: { ...one.spec.names, kind: 'Other' } } })).toEqual([
      'name-changed',
    ]);
  });

  it('that leaves out a version breaks while objects are stored in it, or it is served', () => {
    const two = defineVersions({ ...names, storage: 'v1', versions: { v1: { spec }, v1beta1: { spec } } }).crd();
    expect(rules(two, one)).toEqual(['version-unserved v1beta1']);
    const status = { ...two.status, storedVersions: ['v1', 'v1beta1'] } as CustomResourceDefinition['status'];
    expect(rules({ ...two, ...(status && { status }) }, one)).toEqual(['version-removed v1beta1']);
    const hidden = defineVersions({
      ...names,
      storage: 'v1',
      versions: { v1: { spec }, v1beta1: { spec, served: false } },
    }).crd();
    expect(rules(two, hidden)).toEqual(['version-unserved v1beta1']);
    expect(rules(hidden, one)).toEqual([]);
  });

  it('that adds a version of another schema needs a conversion', () => {
    const other = s.object({ b: s.int().optional() });
    const unlike = defineVersions({ ...names, storage: 'v1', versions: { v1: { spec }, v2: { spec: other } } }).crd();
    const alike = defineVersions({
      ...names,
      storage: 'v1',
      versions: { v1: { spec }, v2: { spec: spec.describe('x') } },
    }).crd();
    expect(rules(one, unlike)).toEqual(['conversion-missing v2']);
    expect(rules(one, alike)).toEqual([]);
    expect(rules(unlike, unlike)).toEqual([]);
    const webhook = {
      ...unlike,
      spec: { ...unlike.spec, conversion: { strategy: 'Webhook' } },
    } as CustomResourceDefinition;
    expect(rules(one, webhook)).toEqual([]);
  });
});

describe('schemas at random', () => {
  /** Puts parts of one schema in the place of those of another. */
  function mixed(node: SchemaNode, other: SchemaNode, chance: () => boolean): SchemaNode {
    const keywords = Object.keys({ ...node, ...other }) as (keyof SchemaNode)[];
    const picked = keywords.filter((keyword) => keyword !== 'properties' && keyword !== 'type' && chance());
    const changed = Object.fromEntries(
      picked.map((keyword) => [keyword, other[keyword]]).filter(([, value]) => value !== undefined),
    );
    const kept = Object.fromEntries(
      Object.entries(node).filter(([keyword]) => !picked.includes(keyword as keyof SchemaNode)),
    );
    const properties = Object.entries({ ...other.properties, ...node.properties }).filter(() => chance());
    return {
      ...kept,
      ...changed,
      ...(node.properties && { properties: Object.fromEntries([...Object.entries(node.properties), ...properties]) }),
    };
  }

  const pairs = fc
    .tuple(schemas.object, schemas.object, fc.infiniteStream(fc.integer({ min: 0, max: 3 })))
    .map(([node, other, stream]) => [node, mixed(node, other, () => stream.next().value === 0)] as const);

  it('without an error, what was valid is valid, and nothing is pruned', () => {
    let compared = 0;
    fc.assert(
      fc.property(pairs, fc.array(anyFields, { minLength: 5, maxLength: 5 }), ([node, next], values) => {
        const [before, after] = [crdOf(s.raw(node)), crdOf(s.raw(next))];
        expect(diffCrd(before, before)).toEqual([]);
        if (diffCrd(before, after).some(({ severity }) => severity === 'error')) return;
        // of a whole object the server keeps more than its schema says
        const [was, is] = [node, next].map((a) => compileSchema({ type: 'object', properties: { a } }));
        if (!was || !is) return;
        for (const a of values as MutableJson[]) {
          const value: MutableJson = { a };
          was.prune(value);
          was.applyDefaults(value);
          if (was.validate(value, {}).length > 0) continue;
          const kept = cloneJson(value);
          is.prune(kept);
          expect(kept).toEqual(value);
          is.applyDefaults(kept);
          expect(is.validate(kept, {})).toEqual([]);
          compared++;
        }
      }),
      { numRuns: 200 },
    );
    expect(compared).toBeGreaterThan(50);
  });
});
