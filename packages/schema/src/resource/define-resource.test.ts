import type { Kind, KubeObject } from '@coxswain/k8s';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { defineResource, type ResourceType, s } from '../index.ts';

const Echo = defineResource({
  group: 'bench.dev',
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  shortNames: ['ec'],
  scope: 'Namespaced',
  spec: s.object({
    text: s.string(),
    n: s.int32().min(1).default(1),
    note: s.string().optional(),
    mode: s.enum('Fast', 'Slow').optional(),
    ports: s.list(s.object({ name: s.string(), port: s.int32() }), { type: 'map', keys: ['name'] }).optional(),
  }),
  status: s.object({ replicas: s.int32().optional(), conditions: s.conditions().optional() }),
  root: { deps: s.object({ logSet: s.anyObject<KubeObject>() }).optional() },
  printColumns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
  subresources: {
    status: true,
    scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.replicas' },
  },
});
type Echo = ResourceType<typeof Echo>;

const echo = (spec: unknown) => ({ apiVersion: 'bench.dev/v1', kind: 'Echo', metadata: { name: 'a' }, spec });

describe('defineResource', () => {
  it('infers the type of the object', () => {
    expectTypeOf(Echo).toExtend<Kind<Echo>>();
    expectTypeOf<Echo>().toExtend<KubeObject>();
    expectTypeOf<Echo['spec']>().toEqualTypeOf<{
      readonly text: string;
      readonly n: number;
      readonly note?: string;
      readonly mode?: 'Fast' | 'Slow';
      readonly ports?: readonly { readonly name: string; readonly port: number }[];
    }>();
    expectTypeOf<Echo['status']>().toExtend<{ readonly replicas?: number } | undefined>();
    expectTypeOf<Echo['deps']>().toEqualTypeOf<{ readonly logSet: KubeObject } | undefined>();
    // @ts-expect-error spec is required
    const missing: Echo = { metadata: { name: 'a' } };
    expect(missing).toBeDefined();
  });

  it('makes spec optional, or leaves it out, when told so', () => {
    const base = { group: 'g.dev', version: 'v1', kind: 'A', plural: 'as', scope: 'Cluster' } as const;
    const Loose = defineResource({ ...base, spec: s.object({ a: s.string() }), specOptional: true });
    expectTypeOf<ResourceType<typeof Loose>['spec']>().toEqualTypeOf<{ readonly a: string } | undefined>();
    expect(Loose.schema.required).toBeUndefined();
    const Flat = defineResource({ ...base, root: { meta: s.object({ id: s.string() }) } });
    expectTypeOf<ResourceType<typeof Flat>>().toEqualTypeOf<KubeObject & { readonly meta: { readonly id: string } }>();
    expect(Flat.schema.required).toEqual(['meta']);
  });

  it('writes the CRD', () => {
    expect(Echo.crd()).toMatchObject({
      metadata: { name: 'echoes.bench.dev' },
      spec: {
        group: 'bench.dev',
        scope: 'Namespaced',
        names: { kind: 'Echo', listKind: 'EchoList', plural: 'echoes', shortNames: ['ec'], singular: 'echo' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n' } },
            additionalPrinterColumns: [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                required: ['spec'],
                properties: {
                  spec: {
                    required: ['text'],
                    properties: { n: { type: 'integer', format: 'int32', minimum: 1, default: 1 } },
                  },
                },
              },
            },
          },
        ],
      },
    });
  });

  it('defaults and validates', () => {
    const object = echo({ text: 'x', ports: [] });
    Echo.default(object);
    expect(object.spec).toEqual({ text: 'x', n: 1, ports: [] });
    expect(Echo.validate(object)).toEqual([]);
    const errors = Echo.validate(
      echo({
        n: 'x',
        mode: 'Odd',
        ports: [
          { name: 'a', port: 1 },
          { name: 'a', port: 2 },
        ],
      }),
    );
    expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
      'spec.n: Invalid value: "string": spec.n in body must be of type integer: "string"',
      'spec.mode: Unsupported value: "Odd": supported values: "Fast", "Slow"',
      'spec.text: Required value',
      'spec.ports[1]: Duplicate value: {"name":"a"}',
    ]);
  });
});
