import { Pod, ReplicaSet, ReplicationController, ResourceQuota } from '@coxswain/k8s';
import { seededRandom } from '@coxswain/runtime/core';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

const labels = { app: 'web' };
const selector = { matchLabels: labels };

function replicaSet(replicas: number, more: object = {}): ReplicaSet {
  return { metadata: { name: 'web' }, spec: { replicas, selector, template: template(labels), ...more } };
}

test('pods are made, replaced and counted', async () => {
  await using world = await TestCluster.start();
  await world.create(ReplicaSet, replicaSet(3));
  const pods = await world.names(Pod);
  expect(pods).toHaveLength(3);
  expect((await world.get(ReplicaSet, 'web')).status).toEqual({
    replicas: 3,
    fullyLabeledReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
    terminatingReplicas: 0,
    observedGeneration: 1,
  });
  await world.delete(Pod, pods[0] ?? '');
  const after = await world.names(Pod);
  expect(after).toHaveLength(3);
  expect(after).not.toContain(pods[0]);
});

test('a pod counts as available only after minReadySeconds', async () => {
  await using world = await TestCluster.start();
  await world.create(ReplicaSet, replicaSet(2, { minReadySeconds: 30 }));
  const available = async () => (await world.get(ReplicaSet, 'web')).status?.availableReplicas ?? 0;
  expect((await world.get(ReplicaSet, 'web')).status).toMatchObject({ readyReplicas: 2 });
  expect(await available()).toBe(0);
  await world.advance(29);
  expect(await available()).toBe(0);
  await world.advance(1);
  expect(await available()).toBe(2);
});

test('matching orphans are adopted; pods that no longer match are let go and replaced', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, { metadata: { name: 'stray', labels }, spec: { containers: [{ name: 'c', image: 'a' }] } });
  await world.create(ReplicaSet, replicaSet(2));
  expect(await world.names(Pod)).toHaveLength(2);
  expect((await world.get(Pod, 'stray')).metadata.ownerReferences).toMatchObject([{ name: 'web', controller: true }]);

  await world.patch(Pod, 'stray', { metadata: { labels: { app: 'other' } } });
  expect((await world.get(Pod, 'stray')).metadata.ownerReferences ?? []).toEqual([]);
  expect(await world.names(Pod, 'app=web')).toHaveLength(2);

  // back again it is one too many
  await world.patch(Pod, 'stray', { metadata: { labels } });
  expect(await world.names(Pod)).toHaveLength(2);
});

test('the cheapest pod goes first, unready ones before it', async () => {
  await using world = await TestCluster.start();
  await world.create(ReplicaSet, replicaSet(4));
  const [a = '', b = '', c = '', d = ''] = await world.names(Pod);
  const cost = (value: string) => ({
    metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } },
  });
  await world.patch(Pod, a, cost('10'));
  await world.patch(Pod, b, cost('-5'));
  await world.patch(Pod, c, cost('100'));
  await world.patch(ReplicaSet, 'web', { spec: { replicas: 3 } });
  expect(await world.names(Pod)).toEqual([a, c, d]);
  await world.patch(ReplicaSet, 'web', { spec: { replicas: 2 } });
  expect(await world.names(Pod)).toEqual([a, c]);
});

test('of two alike the younger goes', async () => {
  await using world = await TestCluster.start({ nodes: 1 });
  await world.create(ReplicaSet, replicaSet(1));
  const old = await world.names(Pod);
  await world.advance(600);
  await world.patch(ReplicaSet, 'web', { spec: { replicas: 3 } });
  await world.patch(ReplicaSet, 'web', { spec: { replicas: 1 } });
  expect(await world.names(Pod)).toEqual(old);
});

test('a failure to create is a condition and an event, and is retried', async () => {
  await using world = await TestCluster.start();
  const broken = template(labels, 'app:1', { serviceAccountName: 'nobody' });
  await world.create(ReplicaSet, replicaSet(1, { template: broken }));
  const { status } = await world.get(ReplicaSet, 'web');
  expect(status?.conditions).toMatchObject([{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }]);
  expect((await world.events('FailedCreate'))[0]).toContain('nobody');
  world.errors.length = 0;
});

test('what is wrong with all pods fails one creation a pass, and is a condition until it is over', async () => {
  await using world = await TestCluster.start();
  await world.create(ResourceQuota, { metadata: { name: 'few' }, spec: { hard: { pods: '3' } } });
  await world.advance(1);
  await world.create(ReplicaSet, replicaSet(100));
  const { status } = await world.get(ReplicaSet, 'web');
  expect(status).toMatchObject({
    replicas: 3,
    conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }],
  });
  expect(status?.conditions?.[0]?.message).toContain(
    'exceeded quota: few, requested: pods=1, used: pods=3, limited: pods=3',
  );
  expect((await world.events('FailedCreate')).length).toBeLessThan(20);
  await world.delete(ResourceQuota, 'few');
  await world.advance(600);
  const after = (await world.get(ReplicaSet, 'web')).status;
  expect(after).toMatchObject({ replicas: 100 });
  expect(after?.conditions ?? []).toEqual([]);
  world.errors.length = 0;
});

test.each([1, 2, 3])('late watches never make more pods than wanted (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  await using world = await TestCluster.start({ nodes: 2, random: seededRandom(seed) });
  for (const resource of ['replicasets', 'pods'])
    world.cluster.faults.add({ match: { verb: 'watch', resource }, action: { watch: 'reorderless-late', ms: 4000 } });
  await world.create(ReplicaSet, replicaSet(5));
  for (let second = 0; second < 60; second++) {
    await world.advance(1);
    const pods = (await world.list(Pod)).filter(({ metadata }) => !metadata.deletionTimestamp);
    expect(pods.length).toBeLessThanOrEqual(5);
    const victim = pods[Math.floor(random.next() * pods.length)];
    if (victim && random.next() < 0.2)
      await world.client.of(Pod).delete({ namespace: world.namespace, name: victim.metadata.name });
  }
  await world.advance(30);
  expect(await world.names(Pod)).toHaveLength(5);
});

test('deleting with orphans leaves the pods to the next of that selector', async () => {
  await using world = await TestCluster.start();
  await world.create(ReplicaSet, replicaSet(2));
  const pods = await world.names(Pod);
  await world.delete(ReplicaSet, 'web', 'Orphan');
  await world.advance(5);
  expect(await world.find(ReplicaSet, 'web')).toBeUndefined();
  expect(await world.names(Pod)).toEqual(pods);
  await world.create(ReplicaSet, { ...replicaSet(2), metadata: { name: 'heir' } });
  expect(await world.names(Pod)).toEqual(pods);
  await world.delete(ReplicaSet, 'heir');
  await world.advance(5);
  expect(await world.names(Pod)).toEqual([]);
});

test('never more pods than wanted, whatever happens to them', async () => {
  const random = seededRandom(3);
  await using world = await TestCluster.start({ nodes: 2 });
  const alive = new Set<string>();
  let most = 0;
  const abort = new AbortController();
  const stream = await world.client.of(Pod).watch({ namespace: world.namespace, signal: abort.signal });
  const followed = (async () => {
    for await (const batch of stream)
      for (const event of batch) {
        if (event.type === 'BOOKMARK' || event.type === 'ERROR') continue;
        const { uid = '', deletionTimestamp } = event.object.metadata;
        if (event.type === 'DELETED' || deletionTimestamp || event.object.status?.phase === 'Failed') alive.delete(uid);
        else alive.add(uid);
        most = Math.max(most, alive.size);
      }
  })().catch(() => {});
  await world.create(ReplicaSet, replicaSet(10));
  for (let round = 0; round < 40; round++) {
    const names = await world.names(Pod);
    const name = names[Math.floor(random.next() * names.length)] ?? '';
    if (random.next() < 0.5) await world.client.of(Pod).delete({ namespace: world.namespace, name });
    else await world.patch(Pod, name, { status: { phase: 'Failed' } }, 'status');
    if (random.next() < 0.5) await world.settle();
  }
  await world.advance(1);
  abort.abort();
  await world.drive(followed);
  expect(most).toBe(10);
  expect((await world.get(ReplicaSet, 'web')).status).toMatchObject({ replicas: 10, readyReplicas: 10 });
});

test('a ReplicationController is the same in its older form', async () => {
  await using world = await TestCluster.start();
  await world.create(Pod, { metadata: { name: 'stray', labels }, spec: { containers: [{ name: 'c', image: 'a' }] } });
  await world.create(ReplicationController, {
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: labels, template: template(labels) },
  });
  expect(await world.names(Pod)).toHaveLength(2);
  expect((await world.get(ReplicationController, 'web')).status).toEqual({
    replicas: 2,
    fullyLabeledReplicas: 2,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 1,
  });
  await world.patch(Pod, 'stray', { metadata: { labels: { app: 'other' } } });
  expect(await world.names(Pod, 'app=web')).toHaveLength(2);
  await world.patch(ReplicationController, 'web', { spec: { replicas: 0 } });
  expect(await world.names(Pod)).toEqual(['stray']);
});
