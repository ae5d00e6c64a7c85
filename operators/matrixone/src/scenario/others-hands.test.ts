import { ConfigMap, type Kind, Pod, PodDisruptionBudget, Service } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { conditionsOf } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { CNSet, DNSet, LABEL_COMPONENT, LogSet, MatrixOneCluster, ProxySet, setLabels, WebUI } from '../api/index.ts';
import { World } from './test-world.ts';

const namespace = 'default';
const key = { namespace, name: 'mo' };

async function settled(): Promise<World> {
  const world = await World.start();
  await world.applyExample();
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  return world;
}

test('a pod that was evicted and is replaced is no trouble any more', async () => {
  await using world = await settled();
  const labels = setLabels('ProxySet', namespace, 'mo');
  const { items } = await world.drive(world.client.of(Pod).list({ namespace, labels }));
  const name = items[0]?.metadata.name ?? '';
  const ended = merge({ status: { phase: 'Failed', reason: 'Evicted' } });
  await world.drive(world.client.of(Pod).patch({ namespace, name }, ended, { subresource: 'status' }));
  await world.clock.advance(600_000);
  const set = await world.drive(world.client.of(ProxySet).get(key));
  expect(conditionsOf(set).map(({ type, status }) => `${type}=${status}`)).toEqual(['Synced=True', 'Ready=True']);
});

test('a child whose label somebody has changed is still the set’s own, and gets it back', async () => {
  await using world = await settled();
  const at = { namespace, name: 'mo-proxy' };
  const change = merge({ metadata: { labels: { [LABEL_COMPONENT]: null, 'matrixorigin.io/instance': 'other' } } });
  await world.drive(world.client.of(Service).patch(at, change, { fieldManager: 'kubectl-label' }));
  await world.clock.advance(120_000);
  const { metadata } = await world.drive(world.client.of(Service).get(at));
  expect(metadata.labels?.[LABEL_COMPONENT]).toBe('ProxySet');
});

test('a budget of the name that ours would have keeps no set from being ready', async () => {
  await using world = await World.start();
  const spec = { minAvailable: '50%', selector: { matchLabels: setLabels('ProxySet', namespace, 'mo') } };
  await world.drive(world.client.of(PodDisruptionBudget).create({ metadata: { namespace, name: 'mo-proxy' }, spec }));
  await world.applyExample((mo) => ({ ...mo, spec: { ...mo.spec, proxy: { replicas: 2, serviceType: 'ClusterIP' } } }));
  await world.until('the cluster is settled', () => world.settled());
});

test('a pod has one budget where its user has made one already', async () => {
  await using world = await World.start();
  const labels = setLabels('ProxySet', namespace, 'mo');
  const spec = { maxUnavailable: 1, selector: { matchLabels: labels } };
  await world.drive(world.client.of(PodDisruptionBudget).create({ metadata: { namespace, name: 'mine' }, spec }));
  await world.applyExample((mo) => ({ ...mo, spec: { ...mo.spec, proxy: { replicas: 2, serviceType: 'ClusterIP' } } }));
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  const { items } = await world.drive(world.client.of(Pod).list({ namespace, labels }));
  const name = items[0]?.metadata.name ?? '';
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`;
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace } };
  await world.drive(world.client.raw({ method: 'POST', path, body }));
});

test('a cluster is ready whatever becomes of its dashboard', async () => {
  await using world = await World.start();
  const other = await world.drive(world.client.of(ConfigMap).create({ metadata: { namespace, name: 'other' } }));
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: other.metadata.uid ?? '', controller: true };
  const webui = { replicas: 1, serviceType: 'ClusterIP', image: 'mo:2.1.0' } as const;
  const metadata = { ...key, ownerReferences: [owner] };
  await world.drive(world.client.of(WebUI).create({ metadata, spec: webui }));
  await world.applyExample((mo) => ({ ...mo, spec: { ...mo.spec, webui } }));
  await world.clock.advance(240_000);
  const before = await world.drive(world.cluster());
  expect(before?.status?.phase).toBe('Ready');
  await world.clock.advance(3_600_000);
  expect(await world.drive(world.cluster())).toEqual(before);
});

test('what is known of a dashboard is told on while it cannot be written', async () => {
  await using world = await World.start();
  const webui = { replicas: 1, serviceType: 'ClusterIP', image: 'mo:2.1.0' } as const;
  await world.applyExample((mo) => ({ ...mo, spec: { ...mo.spec, webui } }));
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(60_000);
  const failure = { match: { verb: 'patch', resource: 'webuis' }, action: { status: 500 } } as const;
  world.embedded.faults.add(failure);
  const another = merge({ spec: { webui: { image: 'mo:2.2.0' } } });
  await world.drive(world.client.of(MatrixOneCluster).patch(key, another));
  await world.clock.advance(60_000);
  const { status } = (await world.drive(world.cluster())) ?? {};
  expect(status?.conditions?.find(({ type }) => type === 'Synced')?.status).toBe('False');
  expect(status?.webui?.availableStores).toHaveLength(1);
});

test.each<[Kind, string, Kind, string]>([
  [CNSet as Kind, 'mo-tp', CloneSet as Kind, 'mo-tp-cn'],
  [DNSet as Kind, 'mo', KruiseStatefulSet as Kind, 'mo-dn'],
  [LogSet as Kind, 'mo', KruiseStatefulSet as Kind, 'mo-log'],
])(
  'R6 a $kind goes although somebody has taken away the labels by which its workload is known',
  async (kind, set, workload, name) => {
    await using world = await settled();
    await world.stopOperator();
    const unlabelled = merge({ metadata: { labels: { [LABEL_COMPONENT]: null } } });
    await world.drive(world.client.of(workload).patch({ namespace, name }, unlabelled));
    await world.drive(world.client.of(kind).delete({ namespace, name: set }));
    await world.drive(world.client.of(MatrixOneCluster).delete(key));
    await world.startOperator();
    await world.until('the cluster is gone', async () => (await world.cluster()) === undefined, 900);
  },
);
