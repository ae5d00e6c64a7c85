import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LABEL_COMPONENT, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import { World } from '../scenario/test-world.ts';

const inNamespace = (name: string) => ({ namespace: 'default', name });

/** A cluster of which a log store has been replaced. */
async function replacedOnce(): Promise<World> {
  const world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout: '20s' } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  const image = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(world.client.of(Pod).patch(inNamespace('mo-log-1'), image));
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function stores(world: World): Promise<readonly string[]> {
  const labels = `${LABEL_COMPONENT}=LogSet`;
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata: { name, uid } }) => `${name} ${uid}`).sort();
}

function relabel(world: World, labels: Readonly<Record<string, string | null>>) {
  const change = merge({ metadata: { labels } });
  return world.drive(
    world.client.of(KruiseStatefulSet).patch(inNamespace('mo-log'), change, { fieldManager: 'by-hand' }),
  );
}

async function isAsBefore(world: World, before: readonly string[]): Promise<void> {
  const { metadata, spec } = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  expect([metadata.labels?.[LABEL_COMPONENT], spec.reserveOrdinals]).toEqual(['LogSet', [1]]);
  expect(await stores(world)).toEqual(before);
}

test.each([
  ['taken away', { [LABEL_COMPONENT]: null }],
  ['changed', { [LABEL_COMPONENT]: null, [LABEL_INSTANCE]: 'other' }],
])('a store that was replaced stays so when labels of its workload are %s', async (_, labels) => {
  await using world = await replacedOnce();
  const before = await stores(world);
  await relabel(world, labels);
  await world.clock.advance(120_000);
  await isAsBefore(world, before);
  expect(await world.drive(world.settled())).toBe(true);
});

test('a LogSet that is deleted by hand hands over also a workload whose labels somebody has taken away', async () => {
  await using world = await replacedOnce();
  const before = await stores(world);
  const { uid } = (await world.drive(world.client.of(LogSet).get(inNamespace('mo')))).metadata;
  await world.stopOperator();
  await relabel(world, { [LABEL_COMPONENT]: null });
  await world.drive(world.client.of(LogSet).delete(inNamespace('mo')));
  await world.startOperator();
  await world.until('there is another LogSet', async () => {
    const now = await world.client.of(LogSet).find(inNamespace('mo'));
    return now !== undefined && now.metadata.uid !== uid;
  });
  await world.clock.advance(60_000);
  await isAsBefore(world, before);
});
