import type { KubeObject } from '@coxswain/k8s';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineVersions, type ResourceType, s } from '../index.ts';
import { roundTrip } from '../test/index.ts';

const definition = {
  group: 'demo.dev',
  kind: 'Echo',
  plural: 'echoes',
  scope: 'Namespaced',
  storage: 'v1',
  versions: {
    v1: { spec: s.object({ text: s.string(), size: s.object({ min: s.int32() }) }), subresources: { status: true } },
    v1alpha1: {
      deprecated: 'use v1',
      spec: s.object({ text: s.string(), minSize: s.int32() }),
    },
    v1beta1: { served: false, spec: s.object({ text: s.string(), size: s.object({ min: s.int32() }) }) },
  },
} as const;

const Echo = defineVersions(definition, {
  v1alpha1: {
    toHub: ({ spec: { minSize, ...spec }, ...object }) => ({ ...object, spec: { ...spec, size: { min: minSize } } }),
    fromHub: ({ spec: { size, ...spec }, ...object }) => ({ ...object, spec: { ...spec, minSize: size.min } }),
  },
});

const old: KubeObject = {
  apiVersion: 'demo.dev/v1alpha1',
  kind: 'Echo',
  metadata: { name: 'a', labels: { b: 'c' } },
  spec: { text: 'x', minSize: 2 },
} as KubeObject;

describe('defineVersions', () => {
  it('gives a typed kind for each version', () => {
    const V1 = Echo.version('v1');
    expectTypeOf<ResourceType<typeof V1>['spec']['size']['min']>().toEqualTypeOf<number>();
    expect(V1).toMatchObject({ group: 'demo.dev', version: 'v1', kind: 'Echo', plural: 'echoes' });
    expect(Echo.version('v1alpha1').validate({ ...old, spec: { text: 'x' } })).toHaveLength(1);
    // @ts-expect-error there is no such version
    expect(() => Echo.version('v2')).toThrow('Echo of demo.dev has no version v2');
  });

  it('writes one CRD with all of them', () => {
    expect(Echo.crd().spec.versions).toMatchObject([
      { name: 'v1', served: true, storage: true, subresources: { status: {} } },
      { name: 'v1alpha1', served: true, storage: false, deprecated: true, deprecationWarning: 'use v1' },
      { name: 'v1beta1', served: false, storage: false },
    ]);
  });

  it('converts by way of the stored version', () => {
    const stored = { ...old, apiVersion: 'demo.dev/v1', spec: { text: 'x', size: { min: 2 } } };
    expect(Echo.convert(old, 'demo.dev/v1')).toEqual(stored);
    expect(Echo.convert(old, 'demo.dev/v1beta1')).toEqual({ ...stored, apiVersion: 'demo.dev/v1beta1' });
    expect(Echo.convert(stored as KubeObject, 'demo.dev/v1alpha1')).toEqual(old);
    expect(Echo.convert(old, 'demo.dev/v1alpha1')).toBe(old);
  });

  it('refuses what is not its own', () => {
    expect(() => Echo.convert(old, 'demo.dev/v9')).toThrow('no version v9');
    expect(() => Echo.convert(old, 'other.dev/v1')).toThrow(RangeError);
    expect(() => Echo.convert({ ...old, kind: 'Other' }, 'demo.dev/v1')).toThrow(RangeError);
  });
});

describe('roundTrip', () => {
  it('holds for converters that lose nothing', () => {
    roundTrip(Echo);
  });

  it('finds what a converter loses', () => {
    const forgetful = defineVersions(definition, {
      v1alpha1: {
        toHub: ({ spec, ...object }) => ({ ...object, spec: { text: spec.text, size: { min: spec.minSize } } }),
        fromHub: ({ spec, ...object }) => ({ ...object, spec: { text: '', minSize: spec.size.min } }),
      },
    });
    expect(() => roundTrip(forgetful)).toThrow(/is not the same/);
  });

  it('asks for objects where none can be made up', () => {
    const strict = { spec: s.object({ text: s.string().pattern('^a+$') }) };
    const { versions: _, ...names } = definition;
    const kind = defineVersions({ ...names, versions: { v1: strict, v2: strict } });
    expect(() => roundTrip(kind)).toThrow('pass objects.v1');
    const objects = fc.constant({ metadata: { name: 'a' }, spec: { text: 'aa' } } as KubeObject);
    roundTrip(kind, { objects: { v1: objects, v2: objects } });
  });
});
