import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNClaim, claimantOf, phaseOf, podOf } from '../api/index.ts';
import type { CnStore } from '../cnstore/index.ts';
import { PoolWorld, TestStores } from './test-pools.ts';

const namespace = 'default';
const key = { namespace, name: 'one' };
const user = 'matrixone-operator';

/** Starts an operator that hears late of a kind, beside those that run. */
async function lateOperator(pool: PoolWorld, cnStores: TestStores, late: Readonly<Record<string, number>>) {
  const { world } = pool;
  const faults = Object.entries(late).map(([resource, ms]) =>
    world.embedded.faults.add({ match: { resource, verb: 'watch', user }, action: { watch: 'delay', ms } }),
  );
  await world.startOperator({ cnStores });
  for (const fault of faults) fault.remove();
  await world.clock.advance(Math.max(...Object.values(late)) + 10_000);
}

const claimOf = (pool: PoolWorld) => pool.world.drive(pool.world.client.of(CNClaim).get(key));

/** As if its node were gone. */
async function vanish({ world }: PoolWorld, name: string): Promise<void> {
  const pod = { namespace, name };
  await world.drive(world.client.of(Pod).patch(pod, merge({ metadata: { finalizers: null } })));
  await world.drive(world.client.of(Pod).delete(pod, { gracePeriodSeconds: 0 }));
}

test('a claim whose pod is gone is lost, and stays so when no pod is free', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 0, maxPods: 1 });
  await pool.claim('one');
  await pool.until({ Bound: 1 });
  await pool.world.clock.advance(30_000);
  const before = podOf(await claimOf(pool)) ?? '';
  await vanish(pool, before);
  await pool.world.clock.advance(60_000);
  const claim = await claimOf(pool);
  expect([claim.status?.phase, podOf(claim)]).toEqual(['Lost', undefined]);
});

test('a claim that was moved off a pod that is gone is not lost by an operator that has not heard of the move', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 });
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 1 });
  await pool.world.clock.advance(30_000);
  await pool.world.stopOperator();
  await lateOperator(pool, cnStores, { cnclaims: 20_000 });
  const { source, target } = await pool.move('one');
  await vanish(pool, source);
  await pool.world.clock.advance(60_000);
  const claim = await claimOf(pool);
  expect([claim.status?.phase, podOf(claim)]).toEqual(['Bound', target]);
});

test('nor is one that was made anew under the name of one whose pod is gone', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 1 });
  await lateOperator(pool, cnStores, { cnclaims: 60_000, pods: 10_000 });
  await vanish(pool, podOf(await claimOf(pool)) ?? '');
  await world.drive(world.client.of(CNClaim).delete(key));
  await world.until('it is gone', async () => (await world.client.of(CNClaim).find(key)) === undefined);
  await pool.claim('one');
  await world.clock.advance(120_000);
  expect((await claimOf(pool)).status?.phase).toBe('Bound');
});

test('a set of an earlier revision whose node is not known yet is not removed under its sessions', async () => {
  const cnStores = new TestStores();
  cnStores.sessions = 3;
  const image = 'matrixorigin/matrixone:2.1.0';
  const drains = { storeDrainEnabled: true, storeDrainTimeout: '10m' };
  await using pool = await PoolWorld.start(
    { cnStores },
    { maxIdle: 0 },
    { template: { image, scalingConfig: drains, serviceType: 'ClusterIP' } },
  );
  await lateOperator(pool, cnStores, { pods: 20_000 });
  await pool.claim('one');
  await pool.until({ Bound: 1 });
  const before = podOf(await claimOf(pool));
  await pool.change({ template: { image, cacheVolume: { size: '7Gi' } } });
  await pool.world.clock.advance(120_000);
  const claim = await claimOf(pool);
  expect([claim.status?.phase, podOf(claim)]).toEqual(['Outdated', before]);
});

test('a pod that a person took out of its set does not keep a set of an earlier revision', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 0 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1 });
  const name = podOf(await claimOf(pool)) ?? '';
  const taken = { metadata: { labels: { 'matrixorigin.io/component': null } } };
  await world.drive(world.client.of(Pod).patch({ namespace, name }, merge(taken)));
  await world.clock.advance(60_000);
  await world.drive(world.client.of(CNClaim).delete(key));
  await world.clock.advance(60_000);
  const before = (await world.drive(pool.sets())).map(({ metadata }) => metadata.name);
  await pool.change({ template: { image: 'matrixorigin/matrixone:2.1.0', cacheVolume: { size: '7Gi' } } });
  await world.clock.advance(120_000);
  const after = (await world.drive(pool.sets())).map(({ metadata }) => metadata.name);
  expect(after).toHaveLength(1);
  expect(after).not.toEqual(before);
});

/** Nodes that are taken back only when that is confirmed. */
class Careful extends TestStores {
  readonly #drained = new Set<string>();

  override async serve(
    store: CnStore,
    _labels?: unknown,
    _signal?: AbortSignal,
    takingBack?: () => Promise<void>,
  ): Promise<void> {
    if (this.#drained.has(store.podName)) await takingBack?.();
    this.#drained.delete(store.podName);
    return super.serve(store);
  }

  override async drain(store: CnStore): Promise<void> {
    this.#drained.add(store.podName);
    return super.drain(store);
  }
}

test('a pod that was given to another claim is not taken by its earlier mark, which an operator still knows', async () => {
  const cnStores = new Careful();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 0, maxPods: 1 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1 });
  await lateOperator(pool, cnStores, { pods: 60_000, cnclaims: 5_000 });
  await pool.claim('two');
  await world.clock.advance(10_000);
  await world.drive(world.client.of(CNClaim).delete(key));
  await world.until('it is gone', async () => (await world.client.of(CNClaim).find(key)) === undefined);
  await pool.claim('one');
  for (let i = 0; i < 24; i++) {
    await world.clock.advance(5_000);
    const named = (await world.drive(pool.claims())).map(podOf).filter((name) => name !== undefined);
    expect(new Set(named).size).toBe(named.length);
  }
  const pods = await world.drive(pool.pods());
  expect(pods.map((pod) => [phaseOf(pod), claimantOf(pod)])).toEqual([['Bound', 'two']]);
});
