import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet } from '../api/index.ts';
import { NodeWorld, TestStores } from './test-nodes.ts';

const tp = { namespace: 'default', name: 'tp' };
const drained = { storeDrainEnabled: true };

/** A world with the node `a`, which has a session, and an operator that hears 50 s late of what becomes of the sets. */
async function late(stores: TestStores, spec: object): Promise<NodeWorld> {
  const world = await NodeWorld.start(stores, { spec });
  stores.nodes.set('a', 'serving');
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.add('a');
  await world.stopOperator();
  for (const resource of ['cnsets', 'logsets'])
    world.cluster.faults.add({ match: { resource, verb: 'watch' }, action: { watch: 'delay', ms: 50_000 } });
  await world.startOperator();
  return world;
}

test.each([
  ['a set that drains by now', {}, { scalingConfig: drained }],
  ['an update that is not paused any more', { scalingConfig: drained, pauseUpdate: true }, { pauseUpdate: false }],
])('a node is not let go with sessions by an operator that hears late of %s', async (_, before, since) => {
  const stores = new TestStores();
  await using world = await late(stores, before);
  await world.drive(world.cluster.client.of(CNSet).patch(tp, merge({ spec: since })));
  await world.asks('a', 'PreparingUpdate');
  await world.clock.advance(40_000);
  expect(await world.isHeld('a')).toBe(true);
  expect(stores.nodes.get('a')).toBe('draining');
});

test('a drain that has more time by now is not ended by an operator that hears late of it', async () => {
  const stores = new TestStores();
  await using world = await late(stores, { scalingConfig: { ...drained, storeDrainTimeout: '20s' } });
  await world.asks('a', 'PreparingDelete');
  const scalingConfig = { storeDrainTimeout: '2m' };
  await world.drive(world.cluster.client.of(CNSet).patch(tp, merge({ spec: { scalingConfig } })));
  await world.clock.advance(110_000);
  expect(await world.isHeld('a')).toBe(true);
  await world.clock.advance(20_000);
  expect(await world.isHeld('a')).toBe(false);
});

test('a drain of an update that is paused meanwhile goes on: what it waits for is still there', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: { scalingConfig: drained } });
  stores.nodes.set('a', 'serving');
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.add('a');
  await world.asks('a', 'PreparingUpdate');
  await world.drive(world.cluster.client.of(CNSet).patch(tp, merge({ spec: { pauseUpdate: true } })));
  await world.clock.advance(60_000);
  expect(await world.isHeld('a')).toBe(true);
  stores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.clock.advance(15_000);
  expect(await world.isHeld('a')).toBe(false);
});

test('a pod that others made is not sent away when a claim takes it just then', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: { scalingConfig: drained } });
  stores.nodes.set('a', 'serving');
  const phase = (value: string) => ({ labels: { 'pool.matrixorigin.io/phase': value } });
  await world.add('a', {
    labels: { 'pool.matrixorigin.io/direct-pod': 'y', ...phase('Bound').labels },
    annotations: { 'pool.matrixorigin.io/management-policy': 'Pooling' },
  });
  const slow = world.cluster.faults.add({
    match: { resource: 'pods', verb: 'patch', subresource: '' },
    when: { nth: 2 },
    action: { latency: 1_000 },
  });
  await world.change('a', phase('Idle'));
  slow.remove();
  await world.change('a', phase('Bound'));
  await world.clock.advance(60_000);
  const pod = await world.pod('a');
  expect(pod?.metadata.labels?.['lifecycle.apps.kruise.io/state']).toBeUndefined();
  expect(stores.nodes.get('a')).toBe('serving');
});

test('a pod of which nobody says whose it is goes', async () => {
  const stores = new TestStores();
  await using world = await NodeWorld.start(stores, { spec: { scalingConfig: drained } });
  await world.add('a', { labels: { 'matrixorigin.io/instance': '' } });
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(10_000);
  expect(await world.isHeld('a')).toBe(false);
});
