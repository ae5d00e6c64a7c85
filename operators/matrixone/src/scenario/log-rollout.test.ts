/** Rollouts of log stores whose pods are ready long before they have their replicas again. */
import type { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { eventKind } from '@coxswain/runtime/events';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { isPodReady } from '../controllers/store-status.ts';
import { type LogStores, startLogStores } from './test-log-stores.ts';
import type { World } from './test-world.ts';

const namespace = 'default';
const patience = 240_000;

const change = (world: World, spec: object) =>
  world.drive(world.client.of(MatrixOneCluster).patch({ namespace, name: 'mo' }, merge({ spec })));
const workload = (world: World) => world.drive(world.client.of(KruiseStatefulSet).get({ namespace, name: 'mo-log' }));
const isNew = (version: string) => (pod: Pod) => pod.spec?.containers[0]?.image?.endsWith(version) ?? false;

/** Lets time go by until all log stores are new, or for so long. @returns how many were away at the same time at most, and how many are new */
async function watch(world: World, stores: LogStores, version: string, seconds: number) {
  let most = 0;
  for (let second = 0; ; second++) {
    const pods = await world.drive(stores.pods());
    most = Math.max(most, 3 - pods.filter((pod) => isPodReady(pod) && !stores.isAway(pod)).length);
    const fresh = pods.filter(isNew(version)).length;
    if (second >= seconds || (fresh === 3 && pods.every((pod) => !stores.isAway(pod)))) return { most, fresh };
    await world.clock.advance(1_000);
  }
}

async function events(world: World, reason: string): Promise<readonly string[]> {
  const { items } = await world.drive(world.client.of(eventKind).list({ namespace }));
  return items.filter((event) => event.reason === reason).map(({ regarding, note }) => `${regarding?.kind}: ${note}`);
}

test('the next log store goes when the one before has its replicas again, and nothing of it is left in the end', {
  timeout: patience,
}, async () => {
  const { world, stores } = await startLogStores();
  await using _ = world;
  const rollingUpdate = { podUpdatePolicy: 'InPlaceIfPossible' };
  expect((await workload(world)).spec.updateStrategy?.rollingUpdate).toEqual(rollingUpdate);
  expect(stores.asked).toBe(0);
  // In place, and by another pod.
  await change(world, { version: 'v2.2.0' });
  expect(await watch(world, stores, 'v2.2.0', 600)).toEqual({ most: 1, fresh: 3 });
  await world.until('the cluster is settled', () => world.settled());
  await change(world, { version: 'v2.2.1', logService: { overlay: { env: [{ name: 'A', value: 'b' }] } } });
  expect(await watch(world, stores, 'v2.2.1', 600)).toEqual({ most: 1, fresh: 3 });
  await world.until('the cluster is settled', () => world.settled());
  expect((await workload(world)).spec.updateStrategy?.rollingUpdate).toEqual(rollingUpdate);
  // Compute nodes that were replaced are drained, and go.
  await world.clock.advance(600_000);
  stores.asked = 0;
  const before = await world.versions();
  await world.clock.advance(3_600_000);
  expect(stores.asked).toBe(0);
  expect(await world.versions()).toEqual(before);
});

test('an operator that starts anew in the middle goes on where the other was', { timeout: patience }, async () => {
  const { world, stores } = await startLogStores();
  await using _ = world;
  await change(world, { version: 'v2.2.0' });
  await world.until('the first new store', async () => (await stores.pods()).some(isNew('v2.2.0')));
  await world.stopOperator();
  await world.clock.advance(120_000);
  expect((await world.drive(stores.pods())).filter(isNew('v2.2.0'))).toHaveLength(1);
  await world.startOperator({ cnStores: stores });
  expect(await watch(world, stores, 'v2.2.0', 600)).toEqual({ most: 1, fresh: 3 });
  await world.until('the cluster is settled', () => world.settled());
});

test('a store that does not come back holds the others, which is told; another template may be the cure', {
  timeout: patience,
}, async () => {
  const { world, stores } = await startLogStores();
  await using _ = world;
  stores.lost.add('mo-log-2');
  await change(world, { version: 'v2.2.0' });
  expect(await watch(world, stores, 'v2.2.0', 1200)).toEqual({ most: 1, fresh: 1 });
  expect(await events(world, 'RolloutHeld')).toEqual([
    'LogSet: no further log store is restarted before HAKeeper has mo-log-2 back with all replicas',
  ]);
  await change(world, { version: 'v2.2.1' });
  await world.until('the first new store', async () => (await stores.pods()).some(isNew('v2.2.1')));
  stores.lost.clear();
  expect(await watch(world, stores, 'v2.2.1', 600)).toEqual({ most: 1, fresh: 3 });
  await world.until('the cluster is settled', () => world.settled());
});

test('a HAKeeper that does not answer holds a rollout for five minutes, and then readiness alone counts', {
  timeout: patience,
}, async () => {
  const { world, stores } = await startLogStores();
  await using _ = world;
  stores.trouble = new Error('nobody answers');
  await change(world, { version: 'v2.2.0' });
  expect(await watch(world, stores, 'v2.2.0', 290)).toMatchObject({ fresh: 0 });
  expect(await watch(world, stores, 'v2.2.0', 120)).toMatchObject({ fresh: 3 });
  expect(await events(world, 'RolloutUnchecked')).toHaveLength(1);
  stores.trouble = undefined;
  await world.until('the cluster is settled', () => world.settled());
  expect((await workload(world)).spec.updateStrategy?.rollingUpdate).not.toHaveProperty('partition');
});

test('a workload whose status others keep writing, while HAKeeper is slow to answer, is rolled out all the same', {
  timeout: patience,
}, async () => {
  const { world, stores } = await startLogStores();
  await using _ = world;
  stores.answersAfter = 2_000;
  await change(world, { version: 'v2.2.0' });
  const sets = world.client.of(KruiseStatefulSet);
  for (let second = 0; second < 30; second++) {
    const status = { labelSelector: `second=${second}` };
    await world.drive(sets.patchStatus({ namespace, name: 'mo-log' }, merge({ status })));
    await world.clock.advance(1_000);
  }
  expect((await world.drive(stores.pods())).some(isNew('v2.2.0'))).toBe(true);
});

test('a new version and fewer stores at once: the one does not stand in the way of the other', {
  timeout: patience,
}, async () => {
  const { world, stores } = await startLogStores((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, replicas: 5, storeFailureTimeout: '1m' } },
  }));
  await using _ = world;
  await change(world, { version: 'v2.2.0', logService: { replicas: 3 } });
  await world.until('three are left', async () => (await stores.pods()).length === 3);
  await world.until('all are new', async () => (await stores.pods()).every(isNew('v2.2.0')));
  await world.until('the cluster is settled', () => world.settled());
});
