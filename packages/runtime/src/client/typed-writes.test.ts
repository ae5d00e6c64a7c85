import { ConfigMap, type Kind, type KubeObject } from '@coxswain/k8s';
import { defineResource, type ResourceInput, type ResourceType, s } from '@coxswain/schema';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { type Client, createClient } from './index.ts';
import type { TransportRequest } from './transport.ts';

const Store = defineResource({
  group: 'demo.dev',
  version: 'v1',
  kind: 'Store',
  plural: 'stores',
  scope: 'Namespaced',
  spec: s.object({
    image: s.string(),
    replicas: s.int32().default(1),
    shards: s.list(s.object({ name: s.string(), weight: s.int32().default(1) })).optional(),
    zones: s.map(s.object({ weight: s.int32().default(1) })).optional(),
    backup: s
      .object({ every: s.string().default('1d'), keep: s.int32() })
      .nullable()
      .default({ keep: 3 }),
  }),
  status: s.object({ phase: s.string().default('Pending') }),
});
type Store = ResourceType<typeof Store>;

const metadata = { name: 'a', namespace: 'b' };

/** A client whose server fills the defaults. */
function clientThat(requests: TransportRequest[]): Client {
  return createClient({
    transport: {
      async send(request) {
        requests.push(request);
        const body = structuredClone(request.body) as { [name: string]: never };
        Store.default(body);
        return { status: 200, headers: {}, warnings: [], body };
      },
      watch: () => Promise.reject(new Error('no watch')),
      close: async () => {},
    },
    fieldManager: 'test',
  });
}

describe('writing a kind with defaults', () => {
  it('takes objects without them, and answers objects with them', async () => {
    const requests: TransportRequest[] = [];
    const stores = clientThat(requests).of(Store);
    const shards = [{ name: 'x' }];
    const made = await stores.create({ metadata, spec: { image: 'i', shards } });
    expectTypeOf(made).toEqualTypeOf<Store>();
    expectTypeOf(made.spec.replicas).toEqualTypeOf<number>();
    expect(made.spec).toMatchObject({ replicas: 1, shards: [{ weight: 1 }], backup: { every: '1d', keep: 3 } });
    await stores.apply({ metadata, spec: { image: 'i', zones: { z: {} }, backup: null } });
    await stores.applyStatus({ metadata, spec: { image: 'i' }, status: {} });
    // An object as it was read can be written too.
    await stores.create(made);
    expect(requests).toHaveLength(4);
  });

  it('still insists on what has no default', () => {
    const make = (client: Client) => {
      // @ts-expect-error image is required
      client.of(Store).create({ metadata, spec: {} });
      // @ts-expect-error a number is no text
      client.of(Store).apply({ metadata, spec: { image: 1 } });
      // @ts-expect-error of a shard the name is required
      client.of(Store).create({ metadata, spec: { image: 'i', shards: [{ weight: 1 }] } });
      // @ts-expect-error what replaces an object is whole
      client.of(Store).update({ metadata, spec: { image: 'i' } });
      // @ts-expect-error there is no such field
      client.of(Store).create({ metadata, spec: { image: 'i', replica: 1 } });
    };
    expect(make).toBeTypeOf('function');
  });

  it('has a type of its own, which a kind without a schema has not', () => {
    type Input = ResourceInput<typeof Store>;
    expectTypeOf<Input['spec']['replicas']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<Input['spec']['backup']>().toEqualTypeOf<
      { readonly every?: string; readonly keep: number } | null | undefined
    >();
    expectTypeOf<Store>().toExtend<Input>();
    expectTypeOf<Parameters<ReturnType<typeof createOf<ConfigMap>>['create']>[0]>().toEqualTypeOf<ConfigMap>();
    expectTypeOf(typeOf(Store)).toEqualTypeOf<Store>();
    expectTypeOf(typeOf(ConfigMap)).toEqualTypeOf<ConfigMap>();
  });
});

/** As generic code does it, which knows nothing of inputs. */
const createOf = <T extends KubeObject>(client: Client, kind: Kind<T>) => client.of(kind);
const typeOf = <T extends KubeObject>(_: Kind<T>) => ({}) as T;
