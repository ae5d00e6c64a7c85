import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNClaim, type CNPool, LABEL_CLAIMED_BY, LABEL_PHASE, phaseOf, podOf } from '../api/index.ts';
import { config, deps, oldImage } from '../scenario/test-fault-objects.ts';
import { PoolWorld, TestStores } from './test-pools.ts';

const namespace = 'default';

/** What an operator does whose view is old, or whose answer was lost, and of which no claim knows. */
async function mark({ world, pods }: PoolWorld, claim: string): Promise<string> {
  const name = (await world.drive(pods())).find((pod) => phaseOf(pod) === 'Idle')?.metadata.name ?? '';
  const labels = { [LABEL_PHASE]: 'Bound', [LABEL_CLAIMED_BY]: claim };
  await world.drive(world.client.of(Pod).patch({ namespace, name }, merge({ metadata: { labels } })));
  return name;
}

test('a pod that is marked for a claim that is gone, or never was, is given back', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  await pool.until({ Idle: 2 });
  cnStores.serving.add(await mark(pool, 'gone'));
  await pool.until({ Idle: 2 });
  expect(cnStores.serving.size).toBe(0);
  for (const { metadata } of await pool.world.drive(pool.pods()))
    expect(metadata.labels).not.toHaveProperty(LABEL_CLAIMED_BY);
});

test('also one that was marked while no operator ran', async () => {
  const cnStores = new TestStores();
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 2 });
  await pool.until({ Idle: 2 });
  await pool.world.stopOperator();
  await mark(pool, 'gone');
  await pool.world.startOperator({ cnStores });
  await pool.until({ Idle: 2 });
});

test('a claim keeps the pod it is bound to, and one marked for it besides is given back', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 2 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 2 });
  const key = { namespace, name: 'one' };
  const kept = podOf(await world.drive(world.client.of(CNClaim).get(key)));
  expect(await mark(pool, 'one')).not.toBe(kept);
  await pool.until({ Bound: 1, Idle: 2 });
  const bound = (await world.drive(pool.pods())).filter((pod) => phaseOf(pod) === 'Bound');
  expect(bound.map(({ metadata }) => metadata.name)).toEqual([kept]);
  expect(podOf(await world.drive(world.client.of(CNClaim).get(key)))).toBe(kept);
});

test('what a claim has lost is given back, though the claim is still there', async () => {
  await using pool = await PoolWorld.start({ cnStores: new TestStores() }, { maxIdle: 1 });
  const { world } = pool;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 1 });
  const lost = merge({ status: { phase: 'Lost' } });
  await world.drive(world.client.of(CNClaim).patchStatus({ namespace, name: 'one' }, lost));
  await pool.until({ Idle: 1 });
});

test('nodes of another cluster, known by its address, are told when their claim gives them back', async () => {
  const cnStores = new TestStores();
  const template = { image: oldImage, config } as CNPool['spec']['template'];
  await using pool = await PoolWorld.start({ cnStores }, { maxIdle: 1 }, { template, deps });
  const { world } = pool;
  cnStores.sessions = 1;
  await pool.claim('one');
  await pool.until({ Bound: 1, Idle: 1 });
  expect(cnStores.serving.size).toBe(1);
  await world.drive(world.client.of(CNClaim).delete({ namespace, name: 'one' }));
  await pool.until({ Draining: 1, Idle: 1 });
  expect(cnStores.serving.size).toBe(0);
});
