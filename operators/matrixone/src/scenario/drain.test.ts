import type { FaultRule } from '@coxswain/cluster';
import { ConfigMap, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { eventKind } from '@coxswain/runtime/events';
import { expect, test } from 'vitest';
import { CNSet, LogSet, MatrixOneCluster } from '../api/index.ts';
import { type CnStoreService, unmanagedCnStores } from '../cnstore/index.ts';
import { config, deps, draining, oldImage } from './test-fault-objects.ts';
import { KnownNodes } from './test-known-nodes.ts';
import { World } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };

/** The cluster with one group that has so many nodes. */
function withGroup(cluster: MatrixOneCluster, more: object): MatrixOneCluster {
  const resources = { requests: { cpu: '100m', memory: '512Mi' } };
  const group = { name: 'tp', replicas: 2, cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP' as const, resources };
  return { ...cluster, spec: { ...cluster.spec, cnGroups: [{ ...group, ...more }] } };
}

test('terminationPolicy Drain empties all nodes first, says what that waits for, and then deletes', {
  timeout: 240_000,
}, async () => {
  let sessions = 2;
  const forgotten: string[] = [];
  const cnStores: CnStoreService = {
    serve: async () => {},
    drain: async () => {},
    load: async () => ({ sessions, pipelines: 0, replicas: 0 }),
    forget: async ({ podName }) => void forgotten.push(podName),
  };
  await using world = await World.start({ cnStores });
  await world.applyExample((cluster) => withGroup(cluster, { terminationPolicy: 'Drain' }));
  await world.until('the cluster is settled', () => world.settled());
  const labels = 'matrixorigin.io/component=CNSet';
  const pods = async () => (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items;
  const names = (await pods()).map(({ metadata }) => metadata.name).sort();

  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.clock.advance(120_000);
  expect((await pods()).map(({ metadata }) => metadata.name).sort()).toEqual(names);
  const set = await world.drive(world.client.of(CNSet).get({ namespace: 'default', name: 'mo-tp' }));
  expect(set.status?.conditions?.find(({ type }) => type === 'Draining')).toMatchObject({
    status: 'True',
    reason: 'NodesDraining',
    message: names.map((name) => `${name} waits for 2 sessions`).join('; '),
  });
  sessions = 0;
  await world.until('the cluster is gone', async () => (await world.cluster()) === undefined);
  expect([...new Set(forgotten)].sort()).toEqual(names);
  const { items } = await world.drive(world.client.of(eventKind).list({ namespace: 'default' }));
  const drained = items.filter(({ reason }) => reason === 'Drained').map(({ regarding }) => regarding?.name);
  expect(drained.toSorted()).toEqual(names);
});

test('a node that drains goes on when its log service is deleted by hand, as its cluster makes that again', {
  timeout: 240_000,
}, async () => {
  const cnStores = new KnownNodes();
  await using world = await World.start({ cnStores });
  const scalingConfig = { storeDrainEnabled: true, storeDrainTimeout: '10m' };
  await world.applyExample((cluster) => withGroup(cluster, { scalingConfig }));
  await world.until('the cluster is settled', () => world.settled());
  cnStores.now = { sessions: 2, pipelines: 0, replicas: 0 };
  const cluster = await world.drive(world.client.of(MatrixOneCluster).get(key));
  const { cnGroups } = withGroup(cluster, { scalingConfig, replicas: 1 }).spec;
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec: { cnGroups } })));
  await world.clock.advance(30_000);
  await world.drive(world.client.of(LogSet).delete(key));
  const labels = 'matrixorigin.io/component=CNSet';
  const nodes = async () =>
    (await world.drive(world.client.of(Pod).list({ namespace: 'default', labels }))).items.length;
  await world.clock.advance(60_000);
  expect(await nodes()).toBe(2);
  cnStores.now = { sessions: 0, pipelines: 0, replicas: 0 };
  await world.until('one node is left', async () => (await nodes()) === 1);
});

test('where HAKeeper is not asked nodes do not begin out of service, as nobody would put them into it', {
  timeout: 240_000,
}, async () => {
  await using world = await World.start({ cnStores: unmanagedCnStores });
  await world.applyExample((cluster) => withGroup(cluster, { scalingConfig: { storeDrainEnabled: true } }));
  await world.until('the cluster is settled', () => world.settled());
  const map = await world.drive(world.client.of(ConfigMap).get({ namespace: 'default', name: 'mo-tp-cn-config' }));
  expect(JSON.stringify(map.data)).toContain('port-base = 6002');
  expect(JSON.stringify(map.data)).not.toContain('init-work-state');
  const spec = { cnGroups: [{ name: 'tp', replicas: 1, cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP' }] };
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ spec })));
  await world.until('the cluster is settled', () => world.settled());
});

test('an operator that has not heard of the nodes yet does not stop them', async () => {
  const cnStores: CnStoreService = {
    serve: async () => {},
    drain: async () => {},
    load: async () => ({ sessions: 2, pipelines: 0, replicas: 0 }),
    forget: async () => {},
  };
  await using world = await World.start({ cnStores });
  const late = { match: { resource: ['pods', 'clonesets'], verb: 'watch' }, action: { watch: 'delay', ms: 60_000 } };
  world.embedded.faults.add({ ...late, match: { ...late.match, user: 'matrixone-operator' } } as FaultRule);
  await world.startOperator({ cnStores });
  const set = { namespace: 'default', name: 'c' };
  const spec = { replicas: 2, image: oldImage, config, scalingConfig: draining, terminationPolicy: 'Drain' };
  await world.drive(world.client.of(CNSet).create({ metadata: set, deps, spec } as CNSet));
  await world.clock.advance(20_000);
  await world.drive(world.client.of(CNSet).delete(set));
  await world.clock.advance(30_000);
  const pods = (await world.drive(world.client.of(Pod).list({ namespace: 'default' }))).items;
  expect(pods.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined, undefined]);
});
