import type { Condition, ResourceRequirements } from '@coxswain/k8s';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { compileSchema, type Infer, type ObjectInput, s, validateStructural } from '../index.ts';

const PodSet = s.object({
  replicas: s.int32().min(0),
  image: s.string().optional(),
  resources: s.k8s<ResourceRequirements>('io.k8s.api.core.v1.ResourceRequirements').optional(),
});

describe('types', () => {
  it('follow the chain in any order', () => {
    expectTypeOf<Infer<ReturnType<typeof s.string>>>().toEqualTypeOf<string>();
    const object = s.object({
      a: s.string().optional().pattern('^a'),
      b: s.int32().min(1).default(3),
      c: s.enum('X', 'Y').nullable(),
      d: s.enum('X').nullable().optional(),
      e: s.list(s.list(s.quantity())),
      f: s.map(s.object({ g: s.boolean() })),
      h: s.any(),
      i: s.anyObject<{ readonly j: 1 }>(),
      k: s.conditions(),
      l: s.dateTime(),
    });
    expectTypeOf<Infer<typeof object>>().toEqualTypeOf<{
      readonly a?: string;
      readonly b: number;
      readonly c: 'X' | 'Y' | null;
      readonly d?: 'X' | null;
      readonly e: readonly (readonly (string | number)[])[];
      readonly f: Readonly<Record<string, { readonly g: boolean }>>;
      readonly h: unknown;
      readonly i: { readonly j: 1 };
      readonly k: readonly Condition[];
      readonly l: string;
    }>();
    expectTypeOf<ObjectInput<(typeof object)['props']>['b']>().toEqualTypeOf<number | undefined>();
  });

  it('of a default are checked', () => {
    // @ts-expect-error a string is no number
    expect(s.int32().default('x')).toBeDefined();
    // @ts-expect-error not one of the values
    expect(s.enum('A').default('B')).toBeDefined();
    expect(s.object({ n: s.int32().default(1) }).default({}).node.default).toEqual({});
  });

  it('of the keys of a list map are checked', () => {
    const item = s.object({ name: s.string() });
    expect(s.list(item, { type: 'map', keys: ['name'] }).node['x-kubernetes-list-map-keys']).toEqual(['name']);
    // @ts-expect-error the item has no such field
    s.list(item, { type: 'map', keys: ['nam'] });
    // @ts-expect-error a list map needs keys
    s.list(item, { type: 'map' });
  });

  it('of extended and spread objects are those of their parts', () => {
    const Log = s.object({ ...PodSet.props, volume: s.quantity() });
    const Named = PodSet.extend({ name: s.string(), image: s.string() });
    expectTypeOf<Infer<typeof Log>>().toEqualTypeOf<{
      readonly replicas: number;
      readonly image?: string;
      readonly resources?: ResourceRequirements;
      readonly volume: string | number;
    }>();
    expectTypeOf<Infer<typeof Named>['image']>().toEqualTypeOf<string>();
    expect(Named.node.required).toEqual(['replicas', 'image', 'name']);
    expect(Log.node.required).toEqual(['replicas', 'volume']);
  });
});

describe('nodes', () => {
  it('are never changed by the chain', () => {
    const base = s.string();
    base.optional().maxLength(3).describe('x');
    expect(base.node).toEqual({ type: 'string' });
    expect(base.omittable).toBe(false);
  });

  it('keep facets and rules when an object is extended', () => {
    const node = s.object({ a: s.int() }).atomic().rule('self.a > 0', 'must be positive').extend({ b: s.int() }).node;
    expect(node).toEqual({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      'x-kubernetes-validations': [{ rule: 'self.a > 0', message: 'must be positive' }],
      properties: { a: { type: 'integer' }, b: { type: 'integer' } },
      required: ['a', 'b'],
    });
  });

  it('hold rules with all their parts', () => {
    const rule = { message: 'm', reason: 'FieldValueForbidden', fieldPath: '.a', optionalOldSelf: true } as const;
    expect(s.string().immutable().rule('true', rule).node['x-kubernetes-validations']).toEqual([
      { rule: 'self == oldSelf', message: 'field is immutable' },
      { rule: 'true', ...rule },
    ]);
  });
});

describe('s.k8s', () => {
  it('writes built-in types out, ready for a CRD', () => {
    const { node } = s.k8s('io.k8s.api.core.v1.PodSpec');
    expect(JSON.stringify(node)).not.toMatch(/\$ref|patch-strategy|patch-merge-key/);
    expect(validateStructural(s.object({ spec: s.k8s('io.k8s.api.core.v1.PodSpec') }).node)).toEqual([]);
    expect(node.properties?.imagePullSecrets?.items?.properties?.name?.default).toBe('');
    expect(
      compileSchema(node).validate({ containers: [{ name: 'a', resources: { limits: { cpu: 'x' } } }] }),
    ).toHaveLength(1);
  });

  it('says what is wrong with a name', () => {
    expect(() => s.k8s('io.k8s.api.core.v1.Nope')).toThrow('no built-in type is named io.k8s.api.core.v1.Nope');
    const recursive = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
    expect(() => s.k8s(recursive)).toThrow(/within itself/);
  });
});
