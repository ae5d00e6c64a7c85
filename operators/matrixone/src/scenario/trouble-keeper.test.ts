import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster as Cluster, CNSet, type MatrixOneCluster } from '../api/index.ts';
import { KnownNodes } from './test-known-nodes.ts';
import { TroubleWorld } from './test-trouble.ts';

const group = (scalingConfig: object = {}) => ({
  name: 'tp',
  replicas: 2,
  serviceType: 'ClusterIP' as const,
  scalingConfig: { storeDrainEnabled: true, ...scalingConfig },
});
const withGroup = (scalingConfig?: object) => (cluster: MatrixOneCluster) => ({
  ...cluster,
  spec: { ...cluster.spec, cnGroups: [group(scalingConfig)] },
});

async function scale(world: TroubleWorld, replicas: number, scalingConfig?: object): Promise<void> {
  const spec = { cnGroups: [{ ...group(scalingConfig), replicas }] };
  await world.drive(world.client.of(Cluster).patch({ namespace: 'default', name: 'mo' }, merge({ spec })));
}

async function nodes(world: TroubleWorld): Promise<readonly string[]> {
  const labels = 'matrixorigin.io/component=CNSet';
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => metadata.name).sort();
}

test('a node that HAKeeper never hears of is named, does not drain without end, and serves once it is known', async () => {
  const cnStores = new KnownNodes();
  await using world = await TroubleWorld.settled(withGroup(), { cnStores });
  const before = await nodes(world);
  cnStores.reporting = false;
  await scale(world, 3);
  await world.world.clock.advance(180_000);
  const says = /^mo-tp-cn-\w+: it runs, and is not in service: /;
  const words = { kind: CNSet, name: 'mo-tp', reason: 'NotInService', says };
  await world.newlyTellsOf(words);
  await world.endures();
  await world.tellsOf(words);
  await scale(world, 2);
  await world.world.clock.advance(60_000);
  await world.recovers();
  expect(await nodes(world)).toEqual(before);
  await scale(world, 3);
  await world.world.clock.advance(120_000);
  cnStores.reporting = true;
  await world.recovers();
});

test('while HAKeeper cannot be asked for an hour nobody is stopped that has time, and the drain ends when it is back', async () => {
  const cnStores = new KnownNodes();
  const patience = { storeDrainTimeout: '3h' };
  await using world = await TroubleWorld.settled(withGroup(patience), { cnStores });
  const before = await nodes(world);
  cnStores.now = { sessions: 2, pipelines: 0, replicas: 0 };
  await scale(world, 1, patience);
  await world.world.clock.advance(60_000);
  cnStores.trouble = new Error('no HAKeeper is found at mo-log-discovery.default.svc:32001');
  await world.world.clock.advance(60_000);
  const draining = await world.says(CNSet, 'mo-tp');
  expect(draining).toContainEqual(expect.stringMatching(/^Draining True NodesDraining: .*no HAKeeper is found/));
  expect(await world.events()).toContainEqual(expect.stringMatching(/^CNSet mo-tp DrainUnknown: /));
  await world.endures(1);
  expect(await nodes(world)).toEqual(before);
  cnStores.trouble = undefined;
  cnStores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.recovers();
  await world.world.until('the node is gone', async () => {
    const { items } = await world.client
      .of(Pod)
      .list({ namespace: 'default', labels: 'matrixorigin.io/component=CNSet' });
    return items.length === 1;
  });
  expect(before).toContain((await nodes(world))[0]);
});

test('without more time than the default a drain ends although HAKeeper cannot be asked, and that is told', async () => {
  const cnStores = new KnownNodes();
  await using world = await TroubleWorld.settled(withGroup(), { cnStores });
  cnStores.trouble = new Error('no HAKeeper is found at mo-log-discovery.default.svc:32001');
  await scale(world, 1);
  await world.world.clock.advance(15 * 60_000);
  expect(await nodes(world)).toHaveLength(1);
  expect(await world.events()).toContainEqual(expect.stringMatching(/^CNSet mo-tp DrainTimedOut: mo-tp-cn-\w+: /));
  cnStores.trouble = undefined;
  await world.recovers();
});
