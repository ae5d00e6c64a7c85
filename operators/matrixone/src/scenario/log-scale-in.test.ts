/** Log stores that are scaled in, by what HAKeeper says of those that stay. */
import { conditionsOf } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster } from '../api/index.ts';
import { type LogStores, startLogStores } from './test-log-stores.ts';
import type { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const patience = 240_000;

/** Five log stores, with three replicas of each shard. */
const start = () =>
  startLogStores((cluster) => {
    const initialConfig = { logShardReplicas: 3 };
    const logService = { ...cluster.spec.logService, replicas: 5, storeFailureTimeout: '20s', initialConfig };
    return { ...cluster, spec: { ...cluster.spec, logService } };
  });

const scaleTo = (world: World, replicas: number) =>
  world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec: { logService: { replicas } } })));

const count = async (world: World, stores: LogStores) => (await world.drive(stores.pods())).length;

test('a log store is taken away only while HAKeeper has all others with their replicas', {
  timeout: patience,
}, async () => {
  const { world, stores } = await start();
  await using _ = world;
  stores.lost.add('mo-log-1');
  await scaleTo(world, 3);
  await world.clock.advance(300_000);
  expect(await count(world, stores)).toBe(5);
  const synced = conditionsOf(await world.drive(world.client.of(LogSet).get(key))).find(
    ({ type }) => type === 'Synced',
  );
  expect(synced).toMatchObject({
    status: 'False',
    reason: 'Waiting',
    message: 'no log store is taken away before HAKeeper has mo-log-1 with all replicas',
  });
  stores.lost.clear();
  await world.until('the cluster is settled', () => world.settled());
  expect(await count(world, stores)).toBe(3);
});

test('a HAKeeper that does not answer holds it for five minutes', { timeout: patience }, async () => {
  const { world, stores } = await start();
  await using _ = world;
  stores.trouble = new Error('nobody answers');
  await scaleTo(world, 4);
  await world.clock.advance(280_000);
  expect(await count(world, stores)).toBe(5);
  await world.clock.advance(60_000);
  expect(await count(world, stores)).toBe(4);
});
