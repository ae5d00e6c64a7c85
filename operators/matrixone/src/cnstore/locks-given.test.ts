import { formatTime } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { NodeWorld, TestStores } from './test-nodes.ts';

const lockMark = 'matrixorigin.io/lock-restart';
const startMark = 'matrixorigin.io/store-draining-start';
const cordon = 'matrixorigin.io/store-cordon';

/** A world whose set drains, with the node `a` in service. */
async function serving(stores: TestStores): Promise<NodeWorld> {
  const world = await NodeWorld.start(stores, { spec: { scalingConfig: { storeDrainEnabled: true } } });
  stores.nodes.set('a', 'serving');
  await world.add('a');
  return world;
}

/** Drains the node for an update, with its locks, until OpenKruise may go on. */
async function drainedForUpdate(world: NodeWorld): Promise<void> {
  await world.asks('a', 'PreparingUpdate');
  await world.clock.advance(30_000);
  expect(await world.isHeld('a')).toBe(false);
  await world.asks('a', 'Updating');
}

test('a node that an update did not restart is replaced when it has given its locks away for it', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await drainedForUpdate(world);
  await world.asks('a', 'Updated');
  await world.clock.advance(5_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeDefined();
  expect(await world.events()).toContainEqual(expect.stringMatching(/^Pod Replaced: /));
});

test('a node that an update restarted serves, and nothing of its drain is left', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await drainedForUpdate(world);
  await world.runs('a', false);
  await world.clock.advance(2_000);
  await world.runs('a', true);
  await world.asks('a', 'Updated');
  await world.clock.advance(5_000);
  const { annotations, deletionTimestamp } = (await world.pod('a'))?.metadata ?? {};
  expect(deletionTimestamp).toBeUndefined();
  expect(annotations).not.toHaveProperty([lockMark]);
  expect(await world.gate('a')).toBe('True CNStoreReady');
});

test('a node that started again since it was asked for its locks is taken back when it is needed', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.transactions = 1;
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(20_000);
  expect(stores.told).toContain('set restart a');
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.runs('a', false);
  await world.runs('a', true);
  await world.asks('a', 'Normal');
  await world.clock.advance(5_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(stores.nodes.get('a')).toBe('serving');
});

test('a node that started again since it was asked for its locks is asked once more', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.transactions = 1;
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(20_000);
  stores.told.length = 0;
  await world.runs('a', false);
  await world.runs('a', true);
  await world.clock.advance(6_000);
  expect(stores.told).toContain('set restart a');
});

test('a mark of locks that upstream left from an earlier drain costs a node with sessions nothing', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.now = { sessions: 2, pipelines: 0, replicas: 0 };
  await world.stopOperator();
  const annotations = { [lockMark]: 'true', [startMark]: formatTime(world.clock.now()) };
  await world.change('a', { annotations, labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } });
  await world.startOperator();
  await world.clock.advance(20_000);
  expect(await world.isHeld('a')).toBe(true);
  await world.asks('a', 'Normal');
  await world.clock.advance(5_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeUndefined();
  expect(stores.nodes.get('a')).toBe('serving');
});

test('a mark of locks that upstream left from an earlier drain does not keep a node from being asked', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  await world.stopOperator();
  const annotations = { [lockMark]: 'true' };
  await world.change('a', { annotations, labels: { 'lifecycle.apps.kruise.io/state': 'PreparingDelete' } });
  await world.startOperator();
  await world.clock.advance(40_000);
  expect(stores.told).toContain('set restart a');
  expect(await world.isHeld('a')).toBe(false);
});

test('a cordoned node whose drain was revoked has all of its time in the next one', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.change('a', { annotations: { [cordon]: '' } });
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  await world.asks('a', 'Normal');
  await world.clock.advance(600_000);
  expect((await world.pod('a'))?.metadata.annotations).not.toHaveProperty([startMark]);
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  expect(await world.isHeld('a')).toBe(true);
});

test('so it has when HAKeeper is silent meanwhile', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.now = { sessions: 1, pipelines: 0, replicas: 0 };
  await world.change('a', { annotations: { [cordon]: '' } });
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  stores.trouble = new Error('nobody answers');
  await world.asks('a', 'Normal');
  await world.clock.advance(600_000);
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(60_000);
  expect(await world.isHeld('a')).toBe(true);
});

test('a cordoned node that has given its locks away is replaced when the cordon goes', async () => {
  const stores = new TestStores();
  await using world = await serving(stores);
  stores.transactions = 1;
  await world.change('a', { annotations: { [cordon]: '' } });
  await world.asks('a', 'PreparingDelete');
  await world.clock.advance(20_000);
  await world.asks('a', 'Normal');
  await world.clock.advance(60_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeUndefined();
  await world.change('a', { annotations: { [cordon]: null } });
  await world.clock.advance(5_000);
  expect((await world.pod('a'))?.metadata.deletionTimestamp).toBeDefined();
});
