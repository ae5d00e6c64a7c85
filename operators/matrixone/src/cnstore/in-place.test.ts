import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { MatrixOneCluster } from '../api/index.ts';
import { KnownNodes } from '../scenario/test-known-nodes.ts';
import { World } from '../scenario/test-world.ts';
import { runsSince } from './main-container.ts';

const namespace = 'default';
const resources = { requests: { cpu: '100m', memory: '512Mi' } };
const group = { name: 'tp', replicas: 2, cacheVolume: { size: '1Gi' }, serviceType: 'ClusterIP' as const, resources };
const updateStrategy = { maxSurge: 0, maxUnavailable: 1 };
const drains = { ...group, updateStrategy, scalingConfig: { storeDrainEnabled: true } };

/** A cluster whose nodes drain, settled, after its group has changed in place. */
async function changed(change: object): Promise<{ before: readonly Pod[]; after: readonly Pod[]; refusing: string[] }> {
  /** Nodes that were asked for their locks, and since when they ran. */
  const asked = new Map<string, string | undefined>();
  const stores = new KnownNodes();
  await using world = await World.start({ cnStores: stores });
  const labels = 'matrixorigin.io/component=CNSet';
  const pods = async () => (await world.client.of(Pod).list({ namespace, labels })).items;
  const ask = stores.handOverLocks.bind(stores);
  stores.handOverLocks = async (store, wasAsked) => {
    const pod = (await pods()).find(({ metadata }) => metadata.name === store.podName);
    if (!wasAsked && pod) asked.set(store.podName, runsSince(pod));
    return ask(store, wasAsked);
  };
  await world.applyExample((cluster) => ({ ...cluster, spec: { ...cluster.spec, cnGroups: [drains] } }));
  await world.until('the cluster is settled', () => world.settled());
  const before = await world.drive(pods());
  await world.clock.advance(60_000);
  const spec = { cnGroups: [{ ...drains, ...change }] };
  await world.drive(world.client.of(MatrixOneCluster).patch({ namespace, name: 'mo' }, merge({ spec })));
  await world.clock.advance(30_000);
  await world.until('the cluster is settled', () => world.settled());
  await world.clock.advance(120_000);
  expect(await world.settled()).toBe(true);
  const after = await world.drive(pods());
  expect(asked.size).toBeGreaterThan(1);
  const refusing = after.filter(
    (pod) => asked.has(pod.metadata.name) && asked.get(pod.metadata.name) === runsSince(pod),
  );
  return { before, after, refusing: refusing.map(({ metadata }) => metadata.name) };
}

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).toSorted();

test('nodes that an update restarts in place stay', { timeout: 100_000 }, async () => {
  const { before, after, refusing } = await changed({ image: 'matrixorigin/matrixone:2.1.1' });
  expect(refusing).toEqual([]);
  expect(names(after)).toEqual(names(before));
});

test('nodes that an update of their labels only took the locks of serve again, or others do', {
  timeout: 100_000,
}, async () => {
  const { after, refusing } = await changed({ overlay: { podLabels: { team: 'a' } } });
  expect(after.map(({ metadata }) => metadata.labels?.['team'])).toEqual(['a', 'a']);
  expect(refusing).toEqual([]);
});
