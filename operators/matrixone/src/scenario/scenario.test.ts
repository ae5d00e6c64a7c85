import { ConfigMap, type Kind, type KubeObject, PersistentVolumeClaim, Pod, Secret, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { World } from './world.ts';

const key = { namespace: 'default', name: 'mo' };

async function all<T extends KubeObject>(world: World, kind: Kind<T>): Promise<readonly T[]> {
  return (await world.drive(world.client.of(kind).list({ namespace: 'default' }))).items;
}

async function names(world: World, kind: Kind): Promise<readonly string[]> {
  return (await all(world, kind)).map(({ metadata }) => metadata.name).sort();
}

async function patch(world: World, spec: object): Promise<void> {
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
}

/** The CN group `tp` with so many nodes. */
function groups(replicas: number, more: object = {}) {
  const resources = { requests: { cpu: '100m', memory: '512Mi' } };
  return { cnGroups: [{ name: 'tp', replicas, cacheVolume: { size: '1Gi' }, resources, ...more }] };
}

async function cnPods(world: World): Promise<readonly string[]> {
  return (await names(world, Pod)).filter((name) => name.startsWith('mo-tp-cn-'));
}

test('a manifest becomes a Ready cluster, in the order in which its parts need each other', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());

  const cluster = await world.drive(world.cluster());
  expect(cluster?.spec.operatorVersion).toBe('1.3.0');
  expect(cluster?.status).toMatchObject({
    phase: 'Ready',
    host: 'mo-proxy.default',
    port: 6001,
    credentialRef: { name: 'mo-credential' },
    cnGroups: {
      desiredGroups: 1,
      readyGroups: 1,
      syncedGroups: 1,
      groups: [{ name: 'mo-tp', host: 'mo-tp-cn.default' }],
    },
    logService: { discovery: { address: 'mo-log-discovery.default.svc', port: 32001 } },
  });
  expect(cluster?.status?.logService?.availableStores?.map(({ podName }) => podName)).toEqual([
    'mo-log-0',
    'mo-log-1',
    'mo-log-2',
  ]);

  const pods = await all(world, Pod);
  const started = (prefix: string) =>
    pods
      .filter(({ metadata }) => metadata.name.startsWith(prefix))
      .map(({ metadata }) => Number(metadata.resourceVersion));
  expect(started('mo-log-')).toHaveLength(3);
  expect(pods).toHaveLength(7);
  expect(await names(world, ConfigMap)).toEqual(
    expect.arrayContaining([
      'mo-dn-config',
      'mo-log-bootstrap',
      'mo-log-config',
      'mo-log-gossip',
      'mo-proxy-config',
      'mo-tp-cn-config',
    ]),
  );
  const [cnSet] = await all(world, CNSet);
  expect(cnSet?.status?.stores?.map(({ state }) => state)).toEqual(['Up', 'Up']);
});

test('dependants wait until what they need is ready, and say so', async () => {
  await using world = await World.start();
  await world.applyExample();
  // No pod can be placed, so the log service does not come up and nothing behind it may start.
  const [cluster] = await all(world, MatrixOneCluster);
  expect(cluster?.metadata.name).toBe('mo');
  await world.until('the log service exists', async () => (await world.client.of(LogSet).find(key)) !== undefined);
  await world.until('the transaction nodes exist', async () => {
    const dn = await world.client.of(KruiseStatefulSet).find({ namespace: 'default', name: 'mo-dn' });
    if (!dn) return false;
    const log = await world.client.of(LogSet).get(key);
    const ready = log.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.status).toBe('True');
    return true;
  });
});

test('a group scales 2 → 4 → 1, and its nodes are drained through the hook', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const first = await cnPods(world);
  await patch(world, groups(4));
  await world.until('four nodes', async () => (await world.settled()) && (await cnCount(world, 4)));
  expect(await cnPods(world)).toEqual(expect.arrayContaining([...first]));
  await patch(world, groups(1));
  await world.until('one node', async () => (await world.settled()) && (await cnCount(world, 1)));
  expect(
    (await names(world, PersistentVolumeClaim)).filter((name) => name.startsWith('mo-data-mo-tp-cn-')),
  ).toHaveLength(1);
});

async function cnCount(world: World, count: number): Promise<boolean> {
  const list = await world.client.of(Pod).list({ namespace: 'default', labels: 'matrixorigin.io/component=CNSet' });
  return list.items.length === count;
}

test('a change of configuration rolls the group in place and keeps the pods', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const before = await all(world, Pod);
  const suffix = (pod: Pod | undefined) => pod?.metadata.annotations?.['matrixorigin.io/config-suffix'];
  const old = suffix(before.find(({ metadata }) => metadata.name.startsWith('mo-tp-cn-')));
  await patch(world, groups(2, { config: '[log]\nlevel = "debug"\n' }));
  await world.until('the cluster is settled', () => world.settled());

  const after = await all(world, Pod);
  expect(after.map(({ metadata }) => metadata.uid).sort()).toEqual(before.map(({ metadata }) => metadata.uid).sort());
  const rolled = after.filter(({ metadata }) => metadata.name.startsWith('mo-tp-cn-')).map(suffix);
  expect(new Set(rolled).size).toBe(1);
  expect(rolled[0]).not.toBe(old);
  const map = await world.drive(world.client.of(ConfigMap).get({ namespace: 'default', name: 'mo-tp-cn-config' }));
  expect(Object.keys(map.data ?? {})).toContain(`config.toml-${rolled[0]}`);
  await world.clock.advance(60_000);
  const later = await world.drive(world.client.of(ConfigMap).get({ namespace: 'default', name: 'mo-tp-cn-config' }));
  expect(Object.keys(later.data ?? {}).sort()).toEqual([`config.toml-${rolled[0]}`, 'start.sh']);
});

test('deleting leaves nothing behind but the user’s own Secret', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  await world.clock.advance(60_000);
  for (const kind of [LogSet, DNSet, CNSet, ProxySet, KruiseStatefulSet, CloneSet, Pod, PersistentVolumeClaim]) {
    expect(await names(world, kind), kind.plural).toEqual([]);
  }
  expect(await names(world, Secret)).toEqual(['minio']);
  expect((await names(world, ConfigMap)).filter((name) => name.startsWith('mo-'))).toEqual([]);
  expect((await names(world, Service)).filter((name) => name.startsWith('mo-'))).toEqual([]);
});
