import { defaultBehaviour, type PodBehaviour } from '@coxswain/cluster';
import { Event, Pod } from '@coxswain/k8s';
import { findCondition } from '@coxswain/runtime/apply';
import { json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, LogSet, MatrixOneCluster } from '../api/index.ts';
import { TroubleWorld } from '../scenario/test-trouble.ts';

const key = (name: string) => ({ namespace: 'default', name });
const crashes = /mo-log-1: container main ends soon after each start, last with exit code 1/;

const patient = (cluster: MatrixOneCluster) => ({
  ...cluster,
  spec: { ...cluster.spec, logService: { ...cluster.spec.logService, storeFailureTimeout: '24h' } },
});

/** What the LogSet says of its pods, in each of the versions that are written from now on. */
async function versionsOf(world: TroubleWorld): Promise<() => readonly string[]> {
  await world.world.record(LogSet, (object) => {
    const failing = findCondition(object, 'PodsFailing')?.message ?? 'all is well';
    return `${object.metadata.resourceVersion} ${failing}`;
  });
  return () => world.world.history.map((line) => line.replace(/^\d+ /, ''));
}

test('that a pod crashes is said once and for as long as it does, whatever else is wrong, and no longer', async () => {
  const crashing = new Set<string>();
  const behaviour: PodBehaviour = (pod, container, attempt) =>
    crashing.has(pod.metadata.name)
      ? { kind: 'ends', after: 40_000, exitCode: 1, reason: 'Error' }
      : defaultBehaviour(pod, container, attempt);
  await using world = await TroubleWorld.settled(patient, { cluster: { behaviour } });
  const { client, world: inner } = world;
  // Of another cause, by a pod that comes before it.
  const broken = json([{ op: 'replace', path: '/spec/containers/0/image', value: 'invalid.example/broken:1' }]);
  await world.drive(client.of(Pod).patch(key('mo-log-0'), broken));
  crashing.add('mo-log-1');
  await world.drive(client.of(Pod).delete(key('mo-log-1'), { gracePeriodSeconds: 0 }));
  await inner.clock.advance(400_000);
  await world.tellsOf({ kind: LogSet, name: 'mo', reason: 'ImagePull', says: crashes });
  const versions = await versionsOf(world);
  await inner.clock.advance(1_800_000);
  // The first version is the one that was there.
  expect([...new Set(versions())]).toEqual([expect.stringMatching(crashes)]);
  expect(versions().length).toBe(1);
  const { items } = await world.drive(client.of(Event).list({ namespace: 'default' }));
  const told = items.filter(({ regarding, reason }) => regarding?.kind === 'LogSet' && reason === 'PodsFailing');
  expect(told.every(({ series }) => series === undefined)).toBe(true);
  crashing.clear();
  const starts = async () => (await world.drive(client.of(Pod).get(key('mo-log-1')))).status?.containerStatuses?.[0];
  await inner.until('it runs', async () => (await starts())?.state?.running !== undefined, 400);
  const says = async () => findCondition(await world.drive(client.of(LogSet).get(key('mo'))), 'PodsFailing')?.message;
  await inner.clock.advance(58_000);
  expect(await says()).toMatch(crashes);
  await inner.clock.advance(35_000);
  expect(await says()).toMatch(/^mo-log-0: image/);
  expect(await says()).not.toMatch(/mo-log-1/);
});

test('that new pods of an update are evicted again and again is said while the old ones stay', async () => {
  const isNew = (pod: Pod) => pod.spec?.containers[0]?.resources?.requests?.['cpu'] === '123m';
  const late: PodBehaviour = (pod, ...run) => ({
    ...defaultBehaviour(pod, ...run),
    ...(isNew(pod) ? { startDelay: 3_600_000 } : {}),
  });
  await using world = await TroubleWorld.settled((same) => same, { cluster: { behaviour: late } });
  const { client, world: inner } = world;
  const [group] = (await world.drive(client.of(MatrixOneCluster).get(key('mo')))).spec.cnGroups ?? [];
  const cnGroups = [{ ...group, resources: { requests: { cpu: '123m', memory: '512Mi' } } }];
  await world.drive(client.of(MatrixOneCluster).patch(key('mo'), merge({ spec: { cnGroups } })));
  const labels = 'matrixorigin.io/component=CNSet';
  const message = 'The node was low on resource: memory';
  for (let evictions = 0; evictions < 2; evictions++) {
    await inner.clock.advance(30_000);
    const { items } = await world.drive(client.of(Pod).list({ namespace: 'default', labels }));
    const pod = items.find((one) => isNew(one) && one.status?.phase === 'Pending');
    const ended = merge({ status: { phase: 'Failed', reason: 'Evicted', message } });
    await world.drive(client.of(Pod).patch(key(pod?.metadata.name ?? ''), ended, { subresource: 'status' }));
  }
  await inner.clock.advance(5_000);
  const set = await world.drive(client.of(CNSet).get(key('mo-tp')));
  expect(findCondition(set, 'PodsFailing')?.message).toContain(message);
});
