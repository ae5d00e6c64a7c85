import { PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { CloneSet, type CloneSetSpec } from '@coxswain/k8s/kruise';
import { expect, test } from 'vitest';
import { conditionText, TestCluster, template } from '../test-cluster.ts';
import { limitsOf } from './cloneset-plan.ts';
import { instanceIdOf } from './cloneset-pods.ts';
import { lifecycleOf } from './lifecycle.ts';
import { byPriority, scattered } from './update-order.ts';

const labels = { app: 'cn' };
const hold = 'test/drain';
const preDelete = { preDelete: { finalizersHandler: [hold], markPodNotReady: true } };
const data = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

function cloneSet(replicas: number, more: Partial<CloneSetSpec> = {}): CloneSet {
  return {
    metadata: { name: 'cn' },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels), ...more },
  };
}

const image = (name: string) => ({ spec: { template: template(labels, name) } });
const update = (strategy: CloneSetSpec['updateStrategy']) => ({ updateStrategy: strategy ?? {} });

async function images(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(({ spec }) => spec?.containers[0]?.image ?? '').sort();
}

async function uids(world: TestCluster): Promise<readonly string[]> {
  return (await world.list(Pod)).map(({ metadata }) => metadata.uid ?? '').sort();
}

async function scale(world: TestCluster, replicas: number, more: object = {}): Promise<void> {
  await world.patch(CloneSet, 'cn', { spec: { replicas, ...more } });
}

test('scale in takes the cheapest pods, and those that are named before them', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(4));
  const [a = '', b = '', c = '', d = ''] = await world.names(Pod);
  for (const [name, cost] of [
    [a, '5'],
    [b, '1'],
    [c, '9'],
    [d, '7'],
  ] as const)
    await world.patch(Pod, name, { metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } } });
  await scale(world, 3);
  expect(await world.names(Pod)).toEqual([a, c, d]);
  await scale(world, 2, { scaleStrategy: { podsToDelete: [c] } });
  expect(await world.names(Pod)).toEqual([a, d]);
  expect((await world.get(CloneSet, 'cn')).status).toMatchObject({ replicas: 2, readyReplicas: 2, updatedReplicas: 2 });
});

test('names of pods that are gone leave the list of those to delete, and the status knows of that', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(3));
  await world.advance(1);
  const [a = '', b = ''] = await world.names(Pod);
  await scale(world, 1, { scaleStrategy: { podsToDelete: [a, b] } });
  await world.advance(120);
  const { metadata, spec, status } = await world.get(CloneSet, 'cn');
  expect(spec.scaleStrategy?.podsToDelete).toBeUndefined();
  expect(status).toMatchObject({ observedGeneration: metadata.generation, replicas: 1 });
});

test('a pod labelled specified-delete is replaced', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(2));
  const [a = '', b = ''] = await world.names(Pod);
  await world.patch(Pod, a, { metadata: { labels: { 'apps.kruise.io/specified-delete': 'true' } } });
  const after = await world.names(Pod);
  expect(after).toHaveLength(2);
  expect(after).toContain(b);
  expect(after).not.toContain(a);
});

test('the hook before deletion: not ready, alive until let go, then gone with its claim', async () => {
  await using world = await TestCluster.start();
  const held = { ...template(labels), metadata: { labels, finalizers: [hold] } };
  await world.create(
    CloneSet,
    cloneSet(2, { lifecycle: preDelete, template: held, volumeClaimTemplates: [data as PersistentVolumeClaim] }),
  );
  await world.advance(1);
  const [a = '', b = ''] = await world.names(Pod);
  await scale(world, 1, { scaleStrategy: { podsToDelete: [a] } });
  await world.advance(60);
  const leaving = await world.get(Pod, a);
  expect(lifecycleOf(leaving)).toBe('PreparingDelete');
  expect(leaving.metadata.deletionTimestamp).toBeUndefined();
  expect(conditionText(leaving, 'Ready')).toBe('False/ReadinessGatesNotReady');
  expect(await world.names(PersistentVolumeClaim)).toHaveLength(2);
  await world.patch(Pod, a, { metadata: { finalizers: null } });
  await world.advance(5);
  expect(await world.names(Pod)).toEqual([b]);
  const claims = await world.list(PersistentVolumeClaim);
  expect(claims.map(instanceIdOf)).toEqual([instanceIdOf(await world.get(Pod, b))]);
});

test('a pod that is being prepared for deletion comes back when the set grows again', async () => {
  await using world = await TestCluster.start();
  const held = { ...template(labels), metadata: { labels, finalizers: [hold] } };
  const lifecycle = { preDelete: { finalizersHandler: [hold] } };
  await world.create(CloneSet, cloneSet(2, { lifecycle, template: held }));
  const before = await uids(world);
  await scale(world, 1);
  expect((await world.list(Pod)).map(lifecycleOf).sort()).toEqual(['Normal', 'PreparingDelete']);
  await scale(world, 2);
  expect((await world.list(Pod)).map(lifecycleOf)).toEqual(['Normal', 'Normal']);
  expect(await uids(world)).toEqual(before);
});

test('in place: the image changes, pod and address stay; revision and status follow', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(3, update({ type: 'InPlaceIfPossible', maxUnavailable: 1 })));
  const before = await world.list(Pod);
  await world.patch(CloneSet, 'cn', image('app:2'));
  await world.advance(5);
  const after = await world.list(Pod);
  expect(after.map(({ metadata, status }) => [metadata.uid, status?.podIP])).toEqual(
    before.map(({ metadata, status }) => [metadata.uid, status?.podIP]),
  );
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2']);
  expect(after.map(lifecycleOf)).toEqual(['Normal', 'Normal', 'Normal']);
  const { status } = await world.get(CloneSet, 'cn');
  expect(status).toMatchObject({ updatedReplicas: 3, updatedReadyReplicas: 3, expectedUpdatedReplicas: 3 });
  expect(status?.currentRevision).toBe(status?.updateRevision);
});

test('the hook before a change in place holds the pod until it is let go', async () => {
  await using world = await TestCluster.start();
  const held = (name: string) => ({ ...template(labels, name), metadata: { labels, finalizers: [hold] } });
  await world.create(
    CloneSet,
    cloneSet(2, {
      ...update({ type: 'InPlaceIfPossible', maxUnavailable: 1 }),
      lifecycle: { inPlaceUpdate: { finalizersHandler: [hold] } },
      template: held('app:1'),
    }),
  );
  const before = await uids(world);
  await world.patch(CloneSet, 'cn', { spec: { template: held('app:2') } });
  await world.advance(60);
  expect((await world.list(Pod)).map(lifecycleOf).sort()).toEqual(['Normal', 'PreparingUpdate']);
  expect(await images(world)).toEqual(['app:1', 'app:1']);
  for (let round = 0; round < 2; round++) {
    const preparing = (await world.list(Pod)).find((pod) => lifecycleOf(pod) === 'PreparingUpdate');
    const name = preparing?.metadata.name ?? '';
    await world.patch(Pod, name, { metadata: { finalizers: null } });
    await world.advance(5);
    expect(lifecycleOf(await world.get(Pod, name))).toBe('Updated');
    await world.patch(Pod, name, { metadata: { finalizers: [hold] } });
    await world.advance(5);
    expect(lifecycleOf(await world.get(Pod, name))).toBe('Normal');
  }
  expect(await images(world)).toEqual(['app:2', 'app:2']);
  expect(await uids(world)).toEqual(before);
});

test.each(['ReCreate', 'InPlaceIfPossible'] as const)(
  '%s with a surge never goes below the wanted number',
  async (type) => {
    await using world = await TestCluster.start();
    const strategy = update({ type, maxSurge: 1, maxUnavailable: 0 });
    await world.create(CloneSet, cloneSet(3, { ...strategy, minReadySeconds: 5 }));
    await world.advance(10);
    await world.patch(CloneSet, 'cn', image('app:2'));
    for (let second = 0; second < 60; second++) {
      await world.advance(1);
      const pods = await world.list(Pod);
      const ready = pods.filter((pod) => conditionText(pod, 'Ready') === 'True');
      expect(ready.length).toBeGreaterThanOrEqual(3);
      expect(pods.length).toBeLessThanOrEqual(4);
    }
    expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2']);
  },
);

test('ReCreate replaces pods within maxUnavailable', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(4, { ...update({ type: 'ReCreate', maxUnavailable: 2 }), minReadySeconds: 5 }));
  await world.advance(10);
  const before = await uids(world);
  await world.patch(CloneSet, 'cn', image('app:2'));
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2', 'app:2']);
  await world.advance(20);
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2', 'app:2']);
  expect((await uids(world)).some((uid) => before.includes(uid))).toBe(false);
});

test('partition and pause', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(3, update({ type: 'InPlaceIfPossible', partition: 2, maxUnavailable: 3 })));
  await world.patch(CloneSet, 'cn', image('app:2'));
  await world.advance(5);
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  expect((await world.get(CloneSet, 'cn')).status).toMatchObject({ updatedReplicas: 1, expectedUpdatedReplicas: 1 });
  await world.patch(CloneSet, 'cn', { spec: { updateStrategy: { partition: 0, paused: true } } });
  await world.advance(5);
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  await world.patch(CloneSet, 'cn', { spec: { updateStrategy: { paused: false } } });
  await world.advance(5);
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('InPlaceOnly never replaces a pod', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(2, update({ type: 'InPlaceOnly', maxUnavailable: 2 })));
  const before = await uids(world);
  await world.patch(CloneSet, 'cn', {
    spec: { template: template(labels, 'app:2', { terminationGracePeriodSeconds: 1 }) },
  });
  await world.advance(30);
  expect(await uids(world)).toEqual(before);
  expect(await images(world)).toEqual(['app:1', 'app:1']);
});

test.each([false, true])(
  'a pod that somebody else deletes finds its claim again unless that is disabled (%s)',
  async (disablePVCReuse) => {
    await using world = await TestCluster.start();
    await world.create(
      CloneSet,
      cloneSet(2, { scaleStrategy: { disablePVCReuse }, volumeClaimTemplates: [data as PersistentVolumeClaim] }),
    );
    await world.advance(1);
    const [a = ''] = await world.names(Pod);
    const before = (await world.list(PersistentVolumeClaim)).map(({ metadata }) => metadata.uid);
    await world.delete(Pod, a);
    await world.advance(5);
    expect((await world.list(Pod)).map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    const after = (await world.list(PersistentVolumeClaim)).map(({ metadata }) => metadata.uid);
    expect(after).toHaveLength(2);
    expect(after.filter((uid) => before.includes(uid))).toHaveLength(disablePVCReuse ? 1 : 2);
  },
);

test('a pod that the set removes takes its claim along, and its name off the list', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(2, { volumeClaimTemplates: [data as PersistentVolumeClaim] }));
  await world.advance(1);
  const [a = '', b = ''] = await world.names(Pod);
  const kept = instanceIdOf(await world.get(Pod, b));
  await scale(world, 1, { scaleStrategy: { podsToDelete: [a] } });
  await world.advance(5);
  expect(await world.names(Pod)).toEqual([b]);
  expect((await world.list(PersistentVolumeClaim)).map(instanceIdOf)).toEqual([kept]);
  expect((await world.get(CloneSet, 'cn')).spec.scaleStrategy).toEqual({});
});

test('pods say of which revision and in which state they are', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(1));
  const [pod] = await world.list(Pod);
  const { updateRevision = '' } = (await world.get(CloneSet, 'cn')).status ?? {};
  expect(updateRevision).toMatch(/^cn-[bcdfghjklmnpqrstvwxz2456789]+$/);
  expect(pod?.metadata.labels).toMatchObject({
    'controller-revision-hash': updateRevision,
    'pod-template-hash': updateRevision.slice(3),
    'lifecycle.apps.kruise.io/state': 'Normal',
    'apps.kruise.io/cloneset-instance-id': pod?.metadata.name.slice(3),
  });
});

test('the grace period: the revision switches at once, the image when it is over', async () => {
  await using world = await TestCluster.start();
  const strategy = { type: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } } as const;
  await world.create(CloneSet, cloneSet(1, update(strategy)));
  await world.patch(CloneSet, 'cn', image('app:2'));
  await world.advance(9);
  let [pod] = await world.list(Pod);
  expect(pod?.spec?.containers[0]?.image).toBe('app:1');
  expect(pod && lifecycleOf(pod)).toBe('Updating');
  expect(conditionText(pod ?? {}, 'InPlaceUpdateReady')).toBe('False/StartInPlaceUpdate');
  expect(Object.keys(pod?.metadata.annotations ?? {})).toContain('apps.kruise.io/inplace-update-grace');
  expect((await world.get(CloneSet, 'cn')).status).toMatchObject({ updatedReplicas: 1, updatedReadyReplicas: 0 });
  await world.advance(10);
  [pod] = await world.list(Pod);
  expect(pod?.spec?.containers[0]?.image).toBe('app:2');
  expect(pod && lifecycleOf(pod)).toBe('Normal');
  expect(pod?.metadata.annotations).not.toHaveProperty(['apps.kruise.io/inplace-update-grace']);
  expect(JSON.parse(pod?.metadata.annotations?.['apps.kruise.io/inplace-update-state'] ?? '')).toMatchObject({
    updateImages: true,
    lastContainerStatuses: { main: { imageID: expect.any(String) } },
  });
  expect(await world.events('SuccessfulUpdatePodInPlace')).toHaveLength(1);
});

test('a template that changes during the grace period is what the pod gets in the end', async () => {
  await using world = await TestCluster.start();
  const strategy = { type: 'InPlaceIfPossible', inPlaceUpdateStrategy: { gracePeriodSeconds: 10 } } as const;
  await world.create(CloneSet, cloneSet(2, update({ ...strategy, maxUnavailable: 2 })));
  const before = await uids(world);
  await world.patch(CloneSet, 'cn', image('app:2'));
  await world.advance(5);
  await world.patch(CloneSet, 'cn', image('app:3'));
  await world.advance(60);
  expect(await images(world)).toEqual(['app:3', 'app:3']);
  expect(await uids(world)).toEqual(before);
  expect((await world.get(CloneSet, 'cn')).status).toMatchObject({ updatedReadyReplicas: 2, availableReplicas: 2 });
});

test('growing goes in steps when only so many pods may be unavailable', async () => {
  await using world = await TestCluster.start();
  await world.create(CloneSet, cloneSet(5, { scaleStrategy: { maxUnavailable: 2 }, minReadySeconds: 10 }));
  expect(await world.names(Pod)).toHaveLength(2);
  expect(await world.events('ScaleUpLimited')).toContain(
    'ScaleUpLimited: scaleUp is limited because of scaleStrategy.maxUnavailable, limit: 2',
  );
  await world.advance(11);
  expect(await world.names(Pod)).toHaveLength(4);
  await world.advance(30);
  expect(await world.names(Pod)).toHaveLength(5);
});

test('a share of old pods keeps at least one back and lets at least one go', () => {
  const partition = (share: string, replicas: number) =>
    limitsOf(cloneSet(replicas, update({ partition: share }))).partition;
  expect([partition('1%', 10), partition('99%', 10), partition('100%', 10), partition('99%', 1)]).toEqual([
    1, 9, 10, 1,
  ]);
});

test('priorities and scattering order an update', () => {
  const pod = (name: string, podLabels: Record<string, string>) => ({ metadata: { name, labels: podLabels } }) as Pod;
  const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).join('');
  const pods = [pod('a', { n: 'x-1' }), pod('b', { n: 'x-10' }), pod('c', { big: 'yes' }), pod('d', { big: 'yes' })];
  expect(names(byPriority({ orderPriority: [{ orderedKey: 'n' }] }, pods))).toBe('cdba');
  const matchSelector = { matchLabels: { big: 'yes' } };
  expect(names(byPriority({ weightPriority: [{ weight: 5, matchSelector }] }, pods))).toBe('cdab');
  expect(names(scattered([{ key: 'big', value: 'yes' }], pods))).toBe('cadb');
});

test('a watch that is late neither makes pods twice nor removes too many', async () => {
  await using world = await TestCluster.start();
  for (const resource of ['clonesets', 'pods', 'controllerrevisions'])
    world.cluster.faults.add({ match: { verb: 'watch', resource }, action: { watch: 'reorderless-late', ms: 2000 } });
  await world.create(CloneSet, cloneSet(4, update({ type: 'ReCreate', maxUnavailable: 1 })));
  await world.advance(20);
  expect(await world.names(Pod)).toHaveLength(4);
  await world.patch(CloneSet, 'cn', image('app:2'));
  for (let second = 0; second < 90; second++) {
    await world.advance(1);
    const pods = (await world.list(Pod)).filter(({ metadata }) => !metadata.deletionTimestamp);
    expect(pods.length).toBeGreaterThanOrEqual(3);
    expect(pods.length).toBeLessThanOrEqual(4);
  }
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2', 'app:2']);
});
