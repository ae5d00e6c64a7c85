import { ConfigMap, PersistentVolumeClaim, Pod, Secret } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import { World, type WorldOptions } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const inNamespace = (name: string) => ({ namespace: 'default', name });

async function settledWorld(options: WorldOptions = {}): Promise<World> {
  const world = await World.start(options);
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  return world;
}

async function patch(world: World, body: object): Promise<void> {
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge(body)));
}

async function claimSizes(world: World, prefix: string): Promise<readonly (string | undefined)[]> {
  const claims = await world.drive(world.client.of(PersistentVolumeClaim).list({ namespace: 'default' }));
  return claims.items
    .filter(({ metadata }) => metadata.name.startsWith(prefix))
    .map(({ spec }) => spec?.resources?.requests?.storage);
}

test('volumes grow, and never shrink, even where the CRDs would let it be', async () => {
  await using world = await settledWorld({ plainCrds: true });
  await patch(world, { spec: { logService: { volume: { size: '2Gi' } } } });
  await world.until('the cluster is settled', () => world.settled());
  expect(await claimSizes(world, 'mo-data-mo-log-')).toEqual(['2Gi', '2Gi', '2Gi']);
  const workload = await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')));
  expect(workload.spec.volumeClaimTemplates?.[0]?.spec?.resources?.requests?.storage).toBe('2Gi');

  await patch(world, { spec: { logService: { volume: { size: '1Gi' } } } });
  await world.clock.advance(5_000);
  const log = await world.drive(world.client.of(LogSet).get(key));
  const synced = log.status?.conditions?.find(({ type }) => type === 'Synced');
  expect(synced).toMatchObject({
    status: 'False',
    reason: 'VolumeShrinks',
    message: expect.stringContaining('from 2Gi to 1Gi'),
  });
  expect(await claimSizes(world, 'mo-data-mo-log-')).toEqual(['2Gi', '2Gi', '2Gi']);
});

test('taking the proxy out of the spec takes it out of the world, and clients are sent to the group', async () => {
  await using world = await settledWorld();
  await patch(world, { spec: { proxy: null } });
  await world.until('the proxies are gone', async () => (await world.client.of(ProxySet).find(key)) === undefined);
  await world.until('the cluster is settled', () => world.settled());
  expect(await world.drive(world.client.of(CloneSet).find(inNamespace('mo-proxy')))).toBeUndefined();
  const cluster = await world.drive(world.cluster());
  expect(cluster?.status?.host).toBe('mo-tp-cn.default');
  expect(cluster?.status?.proxy).toBeUndefined();
});

test('skip-sync means hands off', async () => {
  await using world = await settledWorld();
  await patch(world, {
    metadata: { annotations: { 'matrixorigin.io/skip-sync': 'true' } },
    spec: { proxy: { replicas: 2 } },
  });
  await world.clock.advance(60_000);
  expect((await world.drive(world.client.of(ProxySet).get(key))).spec.replicas).toBe(1);
});

test('a cluster stored by an older operator keeps the older behaviours', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, operatorVersion: '1.2.0' } }));
  await world.until('the cluster is settled', () => world.settled());
  const maps = await world.drive(world.client.of(ConfigMap).list({ namespace: 'default' }));
  const legacy = maps.items.map(({ metadata }) => metadata.name).filter((name) => /-config-[0-9a-f]{7}$/.test(name));
  expect(legacy).toHaveLength(4);
  const pods = await world.drive(world.client.of(Pod).list({ namespace: 'default' }));
  expect(pods.items.flatMap(({ metadata }) => Object.keys(metadata.annotations ?? {}))).not.toContain(
    'matrixorigin.io/config-suffix',
  );
});

test('termination policy Drain empties a group before it is taken away', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => {
    const cnGroups = cluster.spec.cnGroups?.map((group) => ({ ...group, terminationPolicy: 'Drain' }));
    return { ...cluster, spec: { ...cluster.spec, ...(cnGroups ? { cnGroups } : {}) } };
  });
  await world.until('the cluster is settled', () => world.settled());
  await world.record(CloneSet, ({ metadata, spec }, type) => {
    if (metadata.name !== 'mo-tp-cn') return undefined;
    return type === 'DELETED' ? 'gone' : spec.replicas === 0 ? 'scaled to nothing' : undefined;
  });
  await world.record(Pod, ({ metadata }, type) => {
    return type === 'DELETED' && metadata.labels?.['matrixorigin.io/component'] === 'CNSet' ? 'node ends' : undefined;
  });
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  expect(world.history).toEqual(['scaled to nothing', 'node ends', 'gone']);
});

test('a password that was changed stays, and one that is missing at the start is made [case 33]', async () => {
  await using world = await World.start();
  const secret = {
    metadata: { name: 'mo-credential', namespace: 'default' },
    stringData: { username: 'root', password: 'mine' },
  };
  await world.drive(world.client.of(Secret).create(secret));
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const stored = await world.drive(world.client.of(Secret).get(inNamespace('mo-credential')));
  expect(Buffer.from(stored.data?.password ?? '', 'base64').toString()).toBe('mine');
});

test('a live cluster is not parted from its data, even where the CRDs would let it be', async () => {
  await using world = await settledWorld({ plainCrds: true });
  const before = await world.decided();
  await patch(world, { spec: { logService: { sharedStorage: { s3: { path: 'lake/other' } } } } });
  await world.clock.advance(30_000);
  const log = await world.drive(world.client.of(LogSet).get(key));
  const synced = log.status?.conditions?.find(({ type }) => type === 'Synced');
  expect(synced).toMatchObject({ status: 'False', reason: 'StorageMoved' });
  expect(synced?.message).toContain(
    'the data is at http://minio:9000/lake/prod/data, not at http://minio:9000/lake/other/data',
  );
  const after = await world.decided();
  for (const name of ['StatefulSet mo-log', 'StatefulSet mo-dn', 'CloneSet mo-tp-cn', 'ConfigMap mo-tp-cn-config']) {
    expect(after[name], name).toEqual(before[name]);
  }
});

test('a log service that grows keeps the numbers it was bootstrapped with [case 29]', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, replicas: 1 } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  const bootstrap = await world.drive(world.client.of(ConfigMap).get(inNamespace('mo-log-bootstrap')));
  await patch(world, { spec: { logService: { replicas: 3 } } });
  await world.until('the cluster is settled', () => world.settled());
  const later = await world.drive(world.client.of(ConfigMap).get(inNamespace('mo-log-bootstrap')));
  expect(later.data).toEqual(bootstrap.data);
  expect((await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')))).spec.replicas).toBe(3);
});

test('log stores go one at a time, and their volumes stay as long as the log service does', async () => {
  await using world = await World.start();
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, logService: { ...cluster.spec.logService, replicas: 5, storeFailureTimeout: '2m' } },
  }));
  await world.until('the cluster is settled', () => world.settled());
  await world.record(KruiseStatefulSet, ({ metadata, spec }) =>
    metadata.name === 'mo-log'
      ? `${spec.replicas} ${spec.persistentVolumeClaimRetentionPolicy?.whenScaled}`
      : undefined,
  );
  await patch(world, { spec: { logService: { replicas: 3 } } });
  await world.clock.advance(60_000);
  const replicas = async () =>
    (await world.drive(world.client.of(KruiseStatefulSet).get(inNamespace('mo-log')))).spec.replicas;
  expect(await replicas()).toBe(4);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(30_000);
  expect(world.history.filter((line) => !line.startsWith('5'))).toEqual(['4 Retain', '3 Retain', '3 Delete']);
  expect(await claimSizes(world, 'mo-data-mo-log-')).toHaveLength(5);
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  await world.clock.advance(30_000);
  expect(await claimSizes(world, 'mo-data-mo-log-')).toEqual([]);
});

test('a cordoned node leaves service, and comes back', async () => {
  await using world = await settledWorld();
  const pods = await world.drive(
    world.client.of(Pod).list({ namespace: 'default', labels: 'matrixorigin.io/component=CNSet' }),
  );
  const name = pods.items[0]?.metadata.name ?? '';
  const cordon = (value: string | null) =>
    world.drive(
      world.client
        .of(Pod)
        .patch(inNamespace(name), merge({ metadata: { annotations: { 'matrixorigin.io/store-cordon': value } } })),
    );
  const state = async () => {
    const set = await world.client.of(CNSet).get(inNamespace('mo-tp'));
    return set.status?.stores?.find(({ podName }) => podName === name)?.state;
  };
  await cordon('');
  await world.until('the node is out of service', async () => (await state()) === 'Draining');
  expect((await world.drive(world.cluster()))?.status?.phase).toBe('NotReady');
  await cordon(null);
  await world.until('the node is in service', async () => (await state()) === 'Up');
  await world.until('the cluster is settled', () => world.settled());
});
