import { defaultBehaviour, type PodBehaviour } from '@coxswain/cluster';
import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { expect, test } from 'vitest';
import { LogSet, type MatrixOneCluster } from '../api/index.ts';
import { TroubleWorld } from './test-trouble.ts';

/** Containers of some pods end soon after each start, as those do that find their disk full. */
function diskFull(pods: ReadonlySet<string>): PodBehaviour {
  return (pod, container, attempt) =>
    pods.has(pod.metadata.name)
      ? { kind: 'ends', after: 2_000, exitCode: 1, reason: 'Error' }
      : defaultBehaviour(pod, container, attempt);
}

const replacedAfter = (storeFailureTimeout: string) => (cluster: MatrixOneCluster) => ({
  ...cluster,
  spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout } },
});

async function restart(world: TroubleWorld, ...names: string[]): Promise<void> {
  for (const name of names)
    await world.drive(world.client.of(Pod).delete({ namespace: 'default', name }, { gracePeriodSeconds: 0 }));
}

async function logPods(world: TroubleWorld): Promise<readonly string[]> {
  const labels = 'matrixorigin.io/component=LogSet';
  const { items } = await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }));
  return items.map(({ metadata }) => metadata.name).sort();
}

test('a log store whose disk is full is named, and replaced when it does not recover', async () => {
  const full = new Set<string>();
  await using world = await TroubleWorld.settled(replacedAfter('10m'), { cluster: { behaviour: diskFull(full) } });
  full.add('mo-log-1');
  await restart(world, 'mo-log-1');
  await world.world.clock.advance(120_000);
  const says = /^mo-log-1: container main ends soon after each start, last with exit code 1/;
  await world.newlyTellsOf({ kind: LogSet, name: 'mo', reason: 'Crashing', says });
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
  await world.world.clock.advance(1_200_000);
  await world.world.until('the cluster is settled', () => world.world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  expect((await world.says(LogSet, 'mo')).join()).not.toContain('PodsFailing');
});

test('when the disks of most stores are full nothing is taken away, and all go on where they were', async () => {
  const full = new Set<string>();
  await using world = await TroubleWorld.settled(undefined, { cluster: { behaviour: diskFull(full) } });
  for (const name of ['mo-log-0', 'mo-log-1']) full.add(name);
  await restart(world, ...full);
  await world.world.clock.advance(900_000);
  const says = /^mo-log-0, mo-log-1: container main ends soon after each start/;
  await world.tellsOf({ kind: LogSet, name: 'mo', reason: 'Crashing', says });
  await world.endures();
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
  full.clear();
  await world.recovers();
});

test.each(['stop', 'partition'] as const)(
  'a node that goes (%s) and comes back: nothing is moved that need not be, nothing is lost',
  async (how) => {
    await using world = await TroubleWorld.settled(replacedAfter('1h'), { cluster: { nodes: 4 } });
    const { nodes } = world.world.embedded;
    const { spec } = await world.drive(world.client.of(Pod).get({ namespace: 'default', name: 'mo-log-1' }));
    await world.drive(nodes[how](spec?.nodeName ?? ''));
    await world.world.clock.advance(900_000);
    const says = /mo-log-1.*: it is being deleted and does not go: node node-\d does not say that it has ended/;
    await world.newlyTellsOf({ kind: LogSet, name: 'mo', reason: 'StuckTerminating', says });
    await world.endures();
    await world.drive(nodes.start(spec?.nodeName ?? ''));
    await world.recovers();
    const stores = await world.drive(world.client.of(KruiseStatefulSet).get({ namespace: 'default', name: 'mo-log' }));
    expect(stores.spec.reserveOrdinals ?? []).toEqual([]);
  },
);

test('the pods of a node that is taken away for good run elsewhere', async () => {
  await using world = await TroubleWorld.settled(undefined, { cluster: { nodes: 4 } });
  const { spec } = await world.drive(world.client.of(Pod).get({ namespace: 'default', name: 'mo-log-1' }));
  await world.drive(world.world.embedded.nodes.remove(spec?.nodeName ?? ''));
  await world.world.clock.advance(5_000);
  await world.recovers();
});
