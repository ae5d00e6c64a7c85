import { isConflict } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { changeMetadata } from './pod-writes.ts';
import { NodeWorld, TestStores } from './test-nodes.ts';

const { signal } = new AbortController();

/** A pod as it was seen, and the world in which it has changed since. */
async function outdated(finalizers: string[]) {
  const world = await NodeWorld.start(new TestStores());
  await world.stopOperator();
  await world.add('a', { finalizers });
  const seen = await world.pod('a');
  if (!seen) throw new Error('the pod is there');
  await world.change('a', { labels: { other: 'y' }, finalizers: [...finalizers, 'test/meanwhile'] });
  return { world, seen };
}

test('finalizers come and go one by one: what others did meanwhile stays, and is no conflict', async () => {
  const { world, seen } = await outdated(['test/first', 'test/old']);
  await using _ = world;
  const change = { addFinalizers: ['test/new', 'test/first'], removeFinalizers: ['test/old', 'test/none'] };
  await world.drive(changeMetadata(world.cluster.client, seen, change, signal));
  const { finalizers, labels } = (await world.pod('a'))?.metadata ?? {};
  expect(finalizers?.toSorted()).toEqual(['test/first', 'test/meanwhile', 'test/new']);
  expect(labels).toMatchObject({ other: 'y' });
});

test('an exact change is refused when the pod has changed since, and any change of another pod of that name', async () => {
  const { world, seen } = await outdated(['test/first']);
  await using _ = world;
  const { client } = world.cluster;
  const change = { labels: { mine: 'y' } };
  const exact = changeMetadata(client, seen, { ...change, exact: true }, signal);
  await expect(world.drive(exact)).rejects.toSatisfy(isConflict);
  const other = { ...seen, metadata: { ...seen.metadata, uid: 'other' } };
  await expect(world.drive(changeMetadata(client, other, change, signal))).rejects.toThrow(/metadata\.uid/);
  expect((await world.pod('a'))?.metadata.labels).not.toHaveProperty('mine');
});
