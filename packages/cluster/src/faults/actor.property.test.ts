import { ConfigMap, CustomResourceDefinition, type Kind, type KubeObject } from '@coxswain/k8s';
import type { Actor } from '@coxswain/runtime/actor';
import { type Client, isTransient, merge } from '@coxswain/runtime/client';
import { seededRandom, silentLogger, VirtualClock } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startCluster } from '../start-cluster.ts';
import type { Cluster } from '../types.ts';
import type { FaultAction, FaultRule } from './index.ts';

interface Boat extends KubeObject {
  readonly spec: { readonly size: number };
  readonly status?: { readonly made?: number };
}

const Boat: Kind<Boat> = { group: 'test.dev', version: 'v1', kind: 'Boat', plural: 'boats', scope: 'Namespaced' };

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
const definition: CustomResourceDefinition = {
  metadata: { name: 'boats.test.dev' },
  spec: {
    group: Boat.group,
    scope: Boat.scope,
    names: { kind: Boat.kind, plural: Boat.plural, singular: 'boat' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      },
    ],
  },
};

const parts = ['hull', 'mast'] as const;

/** Keeps two config maps of the boat's size, says so in its status, and takes them away itself when it goes. */
const builder: Actor<Boat> = {
  async observe({ object, apply, status }) {
    const { name, namespace = 'default' } = object.metadata;
    for (const part of parts)
      await apply(ConfigMap, {
        metadata: { name: `${name}-${part}`, namespace },
        data: { size: String(object.spec.size) },
      });
    status.made = object.spec.size;
    return undefined;
  },
  async finalize({ object, ensureGone }) {
    const { name, namespace = 'default' } = object.metadata;
    const gone = await Promise.all(parts.map((part) => ensureGone(ConfigMap, { namespace, name: `${name}-${part}` })));
    return gone.every(Boolean);
  },
};

const ours = ({ metadata }: KubeObject) => metadata.name !== 'kube-root-ca.crt';

/** A small server with one operator on it, in virtual time. Only the operator suffers faults. */
class World implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly #ends: (() => Promise<void>)[] = [];
  #cluster: Cluster | undefined;
  #manager: Manager | undefined;

  static async start(rules: readonly FaultRule[], seed: number): Promise<World> {
    const world = new World();
    const { clock } = world;
    const random = seededRandom(seed);
    const cluster = await world.drive(startCluster({ clock, random, log: silentLogger, controlPlane: false }));
    world.#cluster = cluster;
    world.#ends.push(() => cluster.stop());
    await world.drive(cluster.client.of(CustomResourceDefinition).create(definition));
    for (const rule of rules) cluster.faults.add({ ...rule, match: { ...rule.match, user: 'operator' } });
    const client = cluster.clientAs({ name: 'operator', groups: ['system:masters'] });
    const manager = createManager({ client, name: 'boats', clock, random, shutdownTimeout: 0 });
    world.#manager = manager;
    world.#ends.push(() => manager.stop());
    manager.actor(Boat, builder, { finalizer: 'test.dev/boat' }).owns(ConfigMap).run();
    void manager.start();
    return world;
  }

  get cluster(): Cluster {
    if (!this.#cluster) throw new Error('the world has not started');
    return this.#cluster;
  }

  get client(): Client {
    return this.cluster.client;
  }

  drive<T>(promise: Promise<T>): Promise<T> {
    return this.clock.drive(promise);
  }

  /** What there is at the end, and what the operator's cache believes there is. */
  async end(): Promise<{ readonly stored: unknown; readonly cached: unknown; readonly true: unknown }> {
    const boats = (await this.drive(this.client.of(Boat).list())).items;
    const maps = (await this.drive(this.client.of(ConfigMap).list({ namespace: 'default' }))).items;
    const stored = {
      boats: boats.map(({ metadata, spec, status }) => [metadata.name, metadata.finalizers, spec, status?.made]),
      maps: maps
        .filter(ours)
        .map(({ metadata, data }) => [metadata.name, data, metadata.ownerReferences?.map(({ name }) => name)]),
    };
    const versions = (objects: Iterable<KubeObject>) =>
      Array.from(objects, ({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
    const of = <T extends KubeObject>(kind: Kind<T>) => {
      const informer = this.#manager?.cache.informer(kind);
      const found = versions([...(informer?.store.list() ?? [])].filter((one) => one.metadata.namespace === 'default'));
      informer?.release();
      return found;
    };
    return { stored, cached: [of(Boat), of(ConfigMap)], true: [versions(boats), versions(maps)] };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.splice(0).reverse()) await this.drive(end());
  }
}

const boat = (name: string, size: number): Boat => ({ metadata: { name, namespace: 'default' }, spec: { size } });
const at = (name: string) => ({ namespace: 'default', name });

/** Boats are ordered, changed and given up while the faults go on; then there is peace. */
async function play(rules: readonly FaultRule[], seed: number) {
  await using world = await World.start(rules, seed);
  const boats = world.client.of(Boat);
  for (const [i, name] of ['a', 'b', 'c'].entries()) await world.drive(boats.create(boat(name, i + 1)));
  await world.clock.advance(10_000);
  await world.drive(boats.patch(at('a'), merge({ spec: { size: 10 } })));
  await world.drive(boats.delete(at('b')));
  await world.drive(world.client.of(ConfigMap).patch(at('c-hull'), merge({ data: { size: '99' } }))).catch(missing);
  await world.clock.advance(20_000);
  await world.drive(boats.create(boat('d', 4)));
  await world.clock.advance(30_000);
  world.cluster.faults.clear();
  await world.clock.advance(1_200_000);
  return await world.end();
}

/** The operator may not have come to it. */
function missing(error: unknown): void {
  if (isTransient(error)) throw error;
}

const ms = fc.integer({ min: 1, max: 8_000 });
const actions: fc.Arbitrary<FaultAction> = fc.oneof(
  fc.record({ latency: ms }),
  fc.record({ status: fc.constantFrom(409, 410, 429, 500, 503, 504) }),
  fc.record({ reset: fc.constant(true as const) }),
  fc.record({ loseReply: fc.constant(true as const) }),
  fc.record({ watch: fc.constantFrom('drop', 'delay', 'duplicate', 'reorderless-late'), ms }),
  fc.record({ watch: fc.constant('drop' as const) }),
);
const whens: fc.Arbitrary<FaultRule['when']> = fc.oneof(
  fc.record({ probability: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ every: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ nth: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ times: fc.integer({ min: 1, max: 10 }), after: ms }),
  fc.record({ until: fc.integer({ min: 1, max: 60_000 }) }),
);
const matches: fc.Arbitrary<FaultRule['match']> = fc.constantFrom(
  {},
  { resource: 'boats' },
  { resource: 'configmaps' },
  { subresource: 'status' },
  { verb: ['list', 'watch'] },
  { verb: ['create', 'update', 'patch', 'delete'] },
);
const rules = fc.array(fc.record({ match: matches, when: whens, action: actions }) as fc.Arbitrary<FaultRule>, {
  minLength: 1,
  maxLength: 4,
});

test('whatever fails in between, the operator gets there, and its cache is what the server has', async () => {
  const { stored: expected } = await play([], 1);
  expect(expected).toEqual({
    boats: [
      ['a', ['test.dev/boat'], { size: 10 }, 10],
      ['c', ['test.dev/boat'], { size: 3 }, 3],
      ['d', ['test.dev/boat'], { size: 4 }, 4],
    ],
    maps: ['a-hull', 'a-mast', 'c-hull', 'c-mast', 'd-hull', 'd-mast'].map((name) => [
      name,
      { size: name.startsWith('a') ? '10' : name.startsWith('c') ? '3' : '4' },
      [name[0]],
    ]),
  });
  await fc.assert(
    fc.asyncProperty(rules, fc.integer({ min: 1, max: 2 ** 31 }), async (script, seed) => {
      const end = await play(script, seed);
      expect(end.stored).toEqual(expected);
      expect(end.cached).toEqual(end.true);
    }),
    { numRuns: 30 },
  );
});
