import {
  type Condition,
  ConfigMap,
  type Kind,
  type KubeObject,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
} from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LogSet, MatrixOneCluster, ProxySet } from '../api/index.ts';
import type { CnStoreService } from '../cnstore/index.ts';
import { World } from './test-world.ts';

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
function groups(replicas: number, more: object = {}): Pick<MatrixOneCluster['spec'], 'cnGroups'> {
  const resources = { requests: { cpu: '100m', memory: '512Mi' } };
  return {
    cnGroups: [{ name: 'tp', replicas, cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP', resources, ...more }],
  };
}

async function cnPods(world: World): Promise<readonly string[]> {
  return (await names(world, Pod)).filter((name) => name.startsWith('mo-tp-cn-'));
}

test('a manifest becomes a Ready cluster, in the order in which its parts need each other [case 32]', async () => {
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

/** `LogSet ready` the first time a set says so. */
function whenReady(set: { readonly kind?: string; readonly status?: { readonly conditions?: readonly Condition[] } }) {
  const ready = set.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
  return ready ? `${set.kind} ready` : undefined;
}

test('each part starts when what it needs is ready, and ends before what it needs [case 32]', async () => {
  await using world = await World.start();
  await world.record(Pod, ({ metadata }, type) => {
    const component = metadata.labels?.['matrixorigin.io/component'];
    return type === 'ADDED' ? `${component} starts` : type === 'DELETED' ? `${component} ends` : undefined;
  });
  await world.record(LogSet, whenReady);
  await world.record(DNSet, whenReady);
  await world.record(CNSet, whenReady);
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const up = world.history;
  expect(up.filter((line) => !line.startsWith('ProxySet'))).toEqual([
    'LogSet starts',
    'LogSet ready',
    'DNSet starts',
    'DNSet ready',
    'CNSet starts',
    'CNSet ready',
  ]);
  expect(up.indexOf('ProxySet starts')).toBeGreaterThan(up.indexOf('LogSet ready'));
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  expect(world.history.slice(up.length)).toEqual(['CNSet ends', 'ProxySet ends', 'DNSet ends', 'LogSet ends']);
});

test('a settled cluster is left alone, also by an operator that starts anew [case 64]', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  const before = await world.versions();
  await world.clock.advance(3_600_000);
  expect(await world.versions()).toEqual(before);
  await world.stopOperator();
  await world.startOperator();
  await world.clock.advance(60_000);
  expect(await world.versions()).toEqual(before);
});

test('a broken configuration is refused with its place, and what runs keeps running', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const before = await all(world, Pod);
  await patch(world, groups(2, { config: '[log]\nlevel = ' }));
  await world.clock.advance(5_000);
  const cluster = await world.drive(world.cluster());
  const synced = cluster?.status?.conditions?.find(({ type }) => type === 'Synced');
  expect(synced).toMatchObject({ status: 'False', reason: 'SpecInvalid' });
  expect(synced?.message).toMatch(/^spec\.cnGroups\[0\]\.config: line 2, column \d+/);
  expect(cluster?.status?.phase).toBe('Ready');
  expect(await all(world, Pod)).toEqual(before);
  await patch(world, groups(2));
  await world.until('the cluster is settled', () => world.settled());
});

test('what someone else changes or deletes is brought back', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const map = { namespace: 'default', name: 'mo-dn-config' };
  const before = await world.drive(world.client.of(ConfigMap).get(map));
  await world.drive(world.client.of(ConfigMap).delete(map));
  await world.drive(world.client.of(Service).delete({ namespace: 'default', name: 'mo-tp-cn' }));
  const workload = { namespace: 'default', name: 'mo-log' };
  await world.drive(world.client.of(KruiseStatefulSet).patch(workload, merge({ spec: { replicas: 5 } })));
  await world.clock.advance(60_000);
  expect((await world.drive(world.client.of(ConfigMap).get(map))).data).toEqual(before.data);
  expect(await names(world, Service)).toContain('mo-tp-cn');
  // Stores that have come may hold something: they go as all do, one at a time.
  await world.until('the cluster is settled', () => world.settled(), 1_200);
  expect((await world.drive(world.client.of(KruiseStatefulSet).get(workload))).spec.replicas).toBe(3);
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

test('a change of configuration restarts containers in place and keeps the pods [case 62, 65]', async () => {
  await using world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  const before = await all(world, Pod);
  const uids = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
  const suffixes = (pods: readonly Pod[], prefix: string) => [
    ...new Set(
      pods
        .filter(({ metadata }) => metadata.name.startsWith(prefix))
        .map(({ metadata }) => metadata.annotations?.['matrixorigin.io/config-suffix']),
    ),
  ];
  // Without a surge no pod is made only to be taken away again.
  const updateStrategy = { maxSurge: 0, maxUnavailable: 1 };
  const config = '[log]\nlevel = "debug"\n';
  await patch(world, { ...groups(2, { config, updateStrategy }), logService: { config } });
  await world.until('the cluster is settled', () => world.settled());

  const after = await all(world, Pod);
  expect(uids(after)).toEqual(uids(before));
  for (const prefix of ['mo-log-', 'mo-tp-cn-']) {
    const [suffix, ...more] = suffixes(after, prefix);
    expect(more, prefix).toEqual([]);
    expect([suffix], prefix).not.toEqual(suffixes(before, prefix));
  }
  await world.clock.advance(60_000);
  const map = await world.drive(world.client.of(ConfigMap).get({ namespace: 'default', name: 'mo-tp-cn-config' }));
  expect(Object.keys(map.data ?? {}).sort()).toEqual([`config.toml-${suffixes(after, 'mo-tp-cn-')[0]}`, 'start.sh']);
});

test('a node that still serves sessions is kept until they are handed over', async () => {
  let sessions = 3;
  const told: string[] = [];
  const cnStores: CnStoreService = {
    serve: async ({ podName }) => void told.push(`serve ${podName}`),
    drain: async ({ podName }) => void told.push(`drain ${podName}`),
    load: async () => ({ sessions, pipelines: 0, replicas: 0 }),
    forget: async ({ podName }) => void told.push(`forget ${podName}`),
  };
  await using world = await World.start({ cnStores });
  await world.applyExample((cluster) => ({
    ...cluster,
    spec: { ...cluster.spec, ...groups(2, { scalingConfig: { storeDrainEnabled: true } }) },
  }));
  await world.until('the cluster is settled', () => world.settled());
  const before = await cnPods(world);
  await patch(world, groups(1, { scalingConfig: { storeDrainEnabled: true } }));
  await world.clock.advance(120_000);
  expect(await cnPods(world)).toEqual(before);
  const drained = told.filter((line) => line.startsWith('drain'));
  expect(new Set(drained).size).toBe(1);
  sessions = 0;
  await world.until('one node', () => cnCount(world, 1));
  const victim = before.find((name) => drained[0] === `drain ${name}`);
  expect(told).toContain(`forget ${victim}`);
  expect(await cnPods(world)).not.toContain(victim);
});

test('deleting leaves nothing behind but the user’s own Secret [case 65]', async () => {
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
