import { ConfigMap, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { apply, json, merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster } from '../api/index.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const inNamespace = (name: string) => ({ namespace: 'default', name });

/** A cluster whose log stores are replaced after 20 seconds. */
async function startWith(failedPodStrategy: 'Delete' | 'Orphan'): Promise<World> {
  const world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: {
      ...cluster.spec,
      logService: { ...cluster.spec.logService, storeFailureTimeout: '20s', failedPodStrategy },
    },
  }));
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

/** Makes the container of a pod one that cannot start any more, or another one. */
async function breakPod(world: World, name: string, value = 'invalid.example/broken:1'): Promise<void> {
  const image = json([{ op: 'replace', path: '/spec/containers/0/image', value }]);
  await world.drive(world.client.of(Pod).patch(inNamespace(name), image));
}

async function logPods(world: World): Promise<readonly string[]> {
  const pods = await world.drive(
    world.client.of(Pod).list({ namespace: 'default', labels: 'matrixorigin.io/component=LogSet' }),
  );
  return pods.items.map(({ metadata }) => metadata.name).sort();
}

async function podUids(world: World): Promise<Readonly<Record<string, string | undefined>>> {
  const pods = await world.drive(world.client.of(Pod).list({ namespace: 'default' }));
  return Object.fromEntries(pods.items.map(({ metadata }) => [metadata.name, metadata.uid]));
}

test('a store that stays down is replaced by the next ordinal, and its peers are told [case 29, 61]', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await world.until('the store is down', async () => {
    const log = await world.client.of(LogSet).get(key);
    return log.status?.failedStores?.some(({ podName }) => podName === 'mo-log-1') ?? false;
  });
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
  await world.clock.advance(25_000);
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  const workload = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  expect(workload.spec.reserveOrdinals).toEqual([1]);
  const gossip = await world.drive(world.client.of(ConfigMap).get(inNamespace('mo-log-gossip')));
  expect(gossip.data?.['gossip.toml']?.match(/mo-log-\d\./g)).toEqual(['mo-log-0.', 'mo-log-2.', 'mo-log-3.']);
  const claims = await world.drive(world.client.of(PersistentVolumeClaim).list({ namespace: 'default' }));
  expect(claims.items.map(({ metadata }) => metadata.name)).not.toContain('mo-data-mo-log-1');
});

test('a second failure is not failed over without a person, and the condition says why [case 29]', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  await breakPod(world, 'mo-log-0');
  await world.clock.advance(60_000);
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  const log = await world.drive(world.client.of(LogSet).get(key));
  const blocked = log.status?.conditions?.find(({ type }) => type === 'FailoverBlocked');
  expect(blocked).toMatchObject({ status: 'True', message: expect.stringContaining('stores 1 were replaced') });
});

test('a failover of long ago does not stand in the way of the next one', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(120_000);
  await breakPod(world, 'mo-log-0');
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-2', 'mo-log-3', 'mo-log-4']);
});

test('a store that another operator has replaced does not come back by one that has not heard of it', async () => {
  await using world = await startWith('Delete');
  const match = { verb: 'watch', resource: 'statefulsets', user: 'matrixone-operator' };
  world.embedded.faults.add({ match, action: { watch: 'delay', ms: 20_000 } });
  await world.stopOperator();
  await world.startOperator();
  const sets = world.client.of(KruiseStatefulSet);
  const { spec, metadata } = await world.drive(sets.get(inNamespace('mo-log')));
  const { name, namespace, labels, ownerReferences } = metadata;
  const replaced = { metadata: { name, namespace, labels, ownerReferences }, spec: { ...spec, reserveOrdinals: [1] } };
  const other = { fieldManager: 'matrixone-operator', force: true };
  await world.drive(sets.patch(inNamespace('mo-log'), apply(replaced), other));
  await world.drive(
    world.client.of(MatrixOneCluster).patch(key, merge({ spec: { logService: { config: 'x = 1\n' } } })),
  );
  await world.clock.advance(15_000);
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  expect((await world.drive(sets.get(inNamespace('mo-log')))).spec.reserveOrdinals).toEqual([1]);
});

test('a store that is up again is not replaced by an operator that has not heard of it', async () => {
  await using world = await startWith('Delete');
  const before = await podUids(world);
  const { spec } = await world.drive(world.client.of(Pod).get(inNamespace('mo-log-1')));
  const match = { verb: 'watch', resource: 'pods', user: 'matrixone-operator' };
  world.embedded.faults.add({ match, action: { watch: 'delay', ms: 20_000 } });
  await world.stopOperator();
  await world.startOperator();
  await breakPod(world, 'mo-log-1');
  await world.clock.advance(25_000);
  await breakPod(world, 'mo-log-1', spec?.containers[0]?.image);
  await world.clock.advance(18_000);
  // Here it is known as down for as long as a store may be.
  const log = await world.drive(world.client.of(LogSet).get(key));
  expect(log.status?.failedStores).toMatchObject([{ podName: 'mo-log-1' }]);
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
  expect((await podUids(world))['mo-log-1']).toBe(before['mo-log-1']);
});

test('two stores are replaced when a person says so, naming them', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(60_000);
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
  const annotations = { 'matrixorigin.io/confirm-failover': 'mo-log-1,mo-log-2' };
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { annotations } })));
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-3', 'mo-log-4']);
  const log = await world.drive(world.client.of(LogSet).get(key));
  expect(log.status?.conditions?.some(({ type }) => type === 'FailoverBlocked')).toBe(false);
});

test('a confirmation counts for the failure that it was given for, and not for the next one of that store', async () => {
  await using world = await startWith('Delete');
  const image = (await world.drive(world.client.of(Pod).get(inNamespace('mo-log-1')))).spec?.containers[0]?.image;
  const confirmation = async () =>
    (await world.client.of(LogSet).get(key)).metadata.annotations?.['matrixorigin.io/confirm-failover'];
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(10_000);
  const annotations = { 'matrixorigin.io/confirm-failover': 'mo-log-1,mo-log-2' };
  await world.drive(world.client.of(LogSet).patch(key, merge({ metadata: { annotations } })));
  await breakPod(world, 'mo-log-1', image);
  await breakPod(world, 'mo-log-2', image);
  await world.until('it is taken back', async () => (await confirmation()) === undefined);
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(120_000);
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-1', 'mo-log-2']);
});

test('a rollout does not take a healthy store while another one is down', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  const before = await podUids(world);
  await world.drive(
    world.client.of(MatrixOneCluster).patch(key, merge({ spec: { logService: { config: 'x = 1\n' } } })),
  );
  await world.clock.advance(60_000);
  const present = (await world.drive(world.client.of(Pod).get(inNamespace('mo-log-0')))).metadata.annotations;
  const wanted = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  const annotation = 'matrixorigin.io/config-suffix';
  expect(present?.[annotation]).not.toBe(wanted.spec.template.metadata?.annotations?.[annotation]);
  expect((await podUids(world))['mo-log-0']).toBe(before['mo-log-0']);
});

test('while failover is blocked the spec is still followed: a new image may be the cure', async () => {
  await using world = await startWith('Delete');
  await breakPod(world, 'mo-log-1');
  await breakPod(world, 'mo-log-2');
  await world.clock.advance(60_000);
  await world.drive(
    world.client.of(MatrixOneCluster).patch(key, merge({ spec: { logService: { config: 'x = 1\n' } } })),
  );
  await world.clock.advance(5_000);
  const map = await world.drive(world.client.of(ConfigMap).get(inNamespace('mo-log-config')));
  expect(Object.values(map.data ?? {}).some((text) => text.includes('\nx = 1\n'))).toBe(true);
});

test('strategy Orphan keeps the failed pod for a post-mortem, until its LogSet goes [case 30]', async () => {
  await using world = await startWith('Orphan');
  await breakPod(world, 'mo-log-1');
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  expect(await logPods(world)).toEqual(['mo-log-0', 'mo-log-2', 'mo-log-3']);
  const orphan = await world.drive(world.client.of(Pod).get(inNamespace('mo-log-1')));
  expect(orphan.metadata).toMatchObject({
    labels: { 'matrixorigin.io/action-required': 'True', 'matrixorigin.io/logset-owner': 'mo' },
    finalizers: expect.arrayContaining(['matrixorigin.io/confirm-deletion']),
  });
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  expect(await world.drive(world.client.of(Pod).find(inNamespace('mo-log-1')))).toBeUndefined();
});
