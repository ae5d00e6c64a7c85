import { Pod } from '@coxswain/k8s';
import { KruiseStatefulSet, type KruiseStatefulSetSpec } from '@coxswain/k8s/kruise';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from '../test-cluster.ts';
import { reservedOrdinals } from './statefulset.ts';

const labels = { app: 'log' };

function statefulSet(replicas: number, more: Partial<KruiseStatefulSetSpec> = {}): KruiseStatefulSet {
  return {
    metadata: { name: 'log' },
    spec: {
      replicas,
      serviceName: 'log',
      selector: { matchLabels: labels },
      template: template(labels),
      podManagementPolicy: 'Parallel',
      ...more,
    },
  };
}

const inPlace = (more: object = {}) => ({
  updateStrategy: {
    type: 'RollingUpdate' as const,
    rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible' as const, ...more },
  },
});

async function facts(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(
    ({ metadata, spec, status }) =>
      `${metadata.uid} ${spec?.containers[0]?.image} ${status?.containerStatuses?.[0]?.restartCount}`,
  );
}

test('reserved ordinals are numbers and ranges', () => {
  expect([...reservedOrdinals([1, '3-5', '7'])]).toEqual([1, 3, 4, 5, 7]);
  expect([...reservedOrdinals()]).toEqual([]);
});

test('reserved ordinals are passed over; reserving one moves its pod', async () => {
  await using world = await TestCluster.start();
  await world.create(KruiseStatefulSet, statefulSet(3, { reserveOrdinals: [1] }));
  expect(await world.names(Pod)).toEqual(['log-0', 'log-2', 'log-3']);
  await world.patch(KruiseStatefulSet, 'log', { spec: { reserveOrdinals: ['0-2'] } });
  expect(await world.names(Pod)).toEqual(['log-3', 'log-4', 'log-5']);
  expect((await world.get(KruiseStatefulSet, 'log')).status).toMatchObject({ replicas: 3, readyReplicas: 3 });
});

test('a new image is changed in place, one pod at a time', async () => {
  await using world = await TestCluster.start();
  await world.create(KruiseStatefulSet, statefulSet(3, inPlace()));
  const before = await world.list(Pod);
  expect(conditionText(before[0] ?? {}, 'InPlaceUpdateReady')).toBe('True');
  await world.patch(KruiseStatefulSet, 'log', { spec: { template: template(labels, 'app:2') } });
  await world.advance(5);
  expect(await facts(world)).toEqual(before.map(({ metadata }) => `${metadata.uid} app:2 1`));
  const { status } = await world.get(KruiseStatefulSet, 'log');
  expect(status).toMatchObject({ updatedReplicas: 3, readyReplicas: 3 });
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test.each(['Parallel', 'OrderedReady'] as const)(
  '%s: the gate is closed for the grace period before the change',
  async (policy) => {
    await using world = await TestCluster.start();
    const strategy = inPlace({ inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } });
    await world.create(KruiseStatefulSet, statefulSet(2, { ...strategy, podManagementPolicy: policy }));
    const before = await world.list(Pod);
    await world.patch(KruiseStatefulSet, 'log', { spec: { template: template(labels, 'app:2') } });
    await world.advance(9);
    const pod = await world.get(Pod, 'log-1');
    expect(pod.spec?.containers[0]?.image).toBe('app:1');
    expect(conditionText(pod, 'InPlaceUpdateReady')).toBe('False/StartInPlaceUpdate');
    expect(conditionText(pod, 'Ready')).toBe('False/ReadinessGatesNotReady');
    expect(conditionText(await world.get(Pod, 'log-0'), 'Ready')).toBe('True');
    await world.advance(1);
    expect((await world.get(Pod, 'log-1')).spec?.containers[0]?.image).toBe('app:2');
    expect((await world.get(Pod, 'log-0')).spec?.containers[0]?.image).toBe('app:1');
    await world.advance(20);
    expect(await facts(world)).toEqual(before.map(({ metadata }) => `${metadata.uid} app:2 1`));
    expect(conditionText(await world.get(Pod, 'log-1'), 'Ready')).toBe('True');
  },
);

test('an annotation that the environment reads restarts the container; another does not', async () => {
  await using world = await TestCluster.start();
  const env = [{ name: 'SUFFIX', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['suffix']" } } }];
  const withAnnotation = (annotations: object) => ({
    metadata: { labels, annotations },
    spec: { containers: [{ name: 'main', image: 'app:1', env }] },
  });
  await world.create(
    KruiseStatefulSet,
    statefulSet(2, { ...inPlace(), template: withAnnotation({ suffix: 'a' }) as KruiseStatefulSetSpec['template'] }),
  );
  const before = await world.list(Pod);
  await world.patch(KruiseStatefulSet, 'log', { spec: { template: withAnnotation({ suffix: 'b' }) } });
  await world.advance(5);
  expect(await facts(world)).toEqual(before.map(({ metadata }) => `${metadata.uid} app:1 1`));
  await world.patch(KruiseStatefulSet, 'log', { spec: { template: withAnnotation({ suffix: 'b', note: 'x' }) } });
  await world.advance(5);
  expect(await facts(world)).toEqual(before.map(({ metadata }) => `${metadata.uid} app:1 1`));
  expect((await world.get(Pod, 'log-0')).metadata.annotations).toMatchObject({ suffix: 'b', note: 'x' });
  expect((await world.get(KruiseStatefulSet, 'log')).status).toMatchObject({ updatedReplicas: 2, readyReplicas: 2 });
});

test('what cannot be changed in place is replaced', async () => {
  await using world = await TestCluster.start();
  await world.create(KruiseStatefulSet, statefulSet(2, inPlace()));
  const before = (await world.list(Pod)).map(({ metadata }) => metadata.uid);
  await world.patch(KruiseStatefulSet, 'log', {
    spec: { template: template(labels, 'app:1', { terminationGracePeriodSeconds: 5 }) },
  });
  await world.advance(5);
  const after = (await world.list(Pod)).map(({ metadata }) => metadata.uid);
  expect(after.some((uid) => before.includes(uid))).toBe(false);
});

test('a free order goes by priority and stops at the partition; paused stops it too', async () => {
  await using world = await TestCluster.start();
  const priorityStrategy = { weightPriority: [{ weight: 10, matchSelector: { matchLabels: { first: 'yes' } } }] };
  const rolling = (more: object) => inPlace({ unorderedUpdate: { priorityStrategy }, maxUnavailable: '50%', ...more });
  await world.create(KruiseStatefulSet, statefulSet(3, rolling({ partition: 2 }) as Partial<KruiseStatefulSetSpec>));
  await world.patch(Pod, 'log-0', { metadata: { labels: { first: 'yes' } } });
  const image = (pod: Pod) => pod.spec?.containers[0]?.image;
  await world.patch(KruiseStatefulSet, 'log', { spec: { template: template(labels, 'app:2') } });
  await world.advance(10);
  expect((await world.list(Pod)).map(image)).toEqual(['app:2', 'app:1', 'app:1']);
  await world.patch(KruiseStatefulSet, 'log', { spec: rolling({ partition: 0, paused: true }) });
  await world.advance(10);
  expect((await world.list(Pod)).map(image)).toEqual(['app:2', 'app:1', 'app:1']);
  await world.patch(KruiseStatefulSet, 'log', { spec: rolling({ partition: 0, paused: false }) });
  await world.advance(20);
  expect((await world.list(Pod)).map(image)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('growing at once goes in steps when only so many pods may be away', async () => {
  await using world = await TestCluster.start();
  const gated = {
    ...template(labels),
    spec: { containers: [{ name: 'c', image: 'a' }], readinessGates: [{ conditionType: 'x/y' }] },
  };
  await world.create(KruiseStatefulSet, statefulSet(4, { scaleStrategy: { maxUnavailable: 2 }, template: gated }));
  await world.advance(10);
  expect(await world.names(Pod)).toEqual(['log-0', 'log-1']);
  await world.setCondition('log-0', 'x/y', 'True');
  await world.advance(10);
  expect(await world.names(Pod)).toEqual(['log-0', 'log-1', 'log-2']);
});

test('a pod that is asked for is replaced, after whoever holds it has let go', async () => {
  await using world = await TestCluster.start();
  const hold = 'test/drain';
  const held = { ...template(labels), metadata: { labels, finalizers: [hold] } };
  const lifecycle = { preDelete: { finalizersHandler: [hold], markPodNotReady: true } };
  await world.create(KruiseStatefulSet, statefulSet(2, { template: held, lifecycle }));
  await world.advance(10);
  const { uid } = (await world.get(Pod, 'log-1')).metadata;
  await world.patch(Pod, 'log-1', { metadata: { labels: { 'apps.kruise.io/specified-delete': 'true' } } });
  await world.advance(30);
  const waiting = await world.get(Pod, 'log-1');
  expect(waiting.metadata.deletionTimestamp).toBeUndefined();
  expect(waiting.metadata.labels?.['lifecycle.apps.kruise.io/state']).toBe('PreparingDelete');
  expect(conditionText(waiting, 'Ready')).toBe('False/ReadinessGatesNotReady');
  await world.patch(Pod, 'log-1', { metadata: { finalizers: null } });
  await world.advance(10);
  const after = await world.get(Pod, 'log-1');
  expect(after.metadata.uid).not.toBe(uid);
  expect(after.metadata.labels).not.toHaveProperty(['apps.kruise.io/specified-delete']);
});
