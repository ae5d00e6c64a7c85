import {
  ConfigMap,
  ControllerRevision,
  PersistentVolumeClaim,
  Pod,
  Service,
  StatefulSet,
  type StatefulSetSpec,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';
import { revisionHash } from '../workload/hash.ts';

const labels = { app: 'db' };
const data: PersistentVolumeClaim = {
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};

function statefulSet(replicas: number, more: Partial<StatefulSetSpec> = {}): StatefulSet {
  return {
    metadata: { name: 'db' },
    spec: { replicas, serviceName: 'db', selector: { matchLabels: labels }, template: template(labels), ...more },
  };
}

const image = (name: string) => ({ spec: { template: template(labels, name) } });

async function images(world: TestCluster): Promise<readonly (string | undefined)[]> {
  return (await world.list(Pod)).map(({ spec }) => spec?.containers[0]?.image);
}

test('pods come one after the other, each when the one before is available, and go from the top', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(3, { minReadySeconds: 10 }));
  expect(await world.names(Pod)).toEqual(['db-0']);
  await world.advance(11);
  expect(await world.names(Pod)).toEqual(['db-0', 'db-1']);
  await world.advance(22);
  expect(await world.names(Pod)).toEqual(['db-0', 'db-1', 'db-2']);
  expect((await world.get(StatefulSet, 'db')).status).toMatchObject({
    replicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  const pod = await world.get(Pod, 'db-1');
  expect(pod.spec).toMatchObject({ hostname: 'db-1', subdomain: 'db' });
  expect(pod.metadata.labels).toMatchObject({
    'statefulset.kubernetes.io/pod-name': 'db-1',
    'apps.kubernetes.io/pod-index': '1',
  });

  await world.patch(Pod, 'db-2', { metadata: { finalizers: ['test/hold'] } });
  await world.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
  expect(await world.names(Pod)).toEqual(['db-0', 'db-1', 'db-2']);
  await world.patch(Pod, 'db-2', { metadata: { finalizers: null } });
  expect(await world.names(Pod)).toEqual(['db-0']);
});

test('Parallel makes and removes all at once; ordinals may start anywhere', async () => {
  await using world = await TestCluster.start();
  await world.create(
    StatefulSet,
    statefulSet(3, { podManagementPolicy: 'Parallel', minReadySeconds: 60, ordinals: { start: 5 } }),
  );
  expect(await world.names(Pod)).toEqual(['db-5', 'db-6', 'db-7']);
  await world.patch(StatefulSet, 'db', { spec: { replicas: 0 } });
  expect(await world.names(Pod)).toEqual([]);
});

test('a roll goes from the highest ordinal down, one at a time', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(3, { minReadySeconds: 10 }));
  await world.advance(60);
  const before = await world.get(StatefulSet, 'db');
  await world.patch(StatefulSet, 'db', image('app:2'));
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  const during = await world.get(StatefulSet, 'db');
  expect(during.status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  expect(during.status?.currentRevision).toBe(before.status?.currentRevision);
  expect(during.status?.updateRevision).not.toBe(before.status?.updateRevision);
  await world.advance(11);
  expect(await images(world)).toEqual(['app:1', 'app:2', 'app:2']);
  await world.advance(60);
  const after = await world.get(StatefulSet, 'db');
  expect(after.status).toMatchObject({ currentReplicas: 3, updatedReplicas: 3, readyReplicas: 3 });
  expect(after.status?.currentRevision).toBe(after.status?.updateRevision);
  expect(await world.names(ControllerRevision)).toHaveLength(2);
});

test('a partition keeps the lower ordinals; a deleted one comes back as it was', async () => {
  await using world = await TestCluster.start();
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 2 } };
  await world.create(StatefulSet, statefulSet(3, { updateStrategy }));
  await world.patch(StatefulSet, 'db', image('app:2'));
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  await world.delete(Pod, 'db-0');
  expect(await images(world)).toEqual(['app:1', 'app:1', 'app:2']);
  await world.patch(StatefulSet, 'db', { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2']);
});

test('OnDelete changes a pod only when somebody deletes it', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2, { updateStrategy: { type: 'OnDelete' } }));
  await world.patch(StatefulSet, 'db', image('app:2'));
  expect(await images(world)).toEqual(['app:1', 'app:1']);
  await world.delete(Pod, 'db-0');
  expect(await images(world)).toEqual(['app:2', 'app:1']);
});

test('a broken new pod blocks the roll, until the template is right and somebody deletes it', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2));
  await world.patch(StatefulSet, 'db', image('invalid.example/app:2'));
  await world.patch(StatefulSet, 'db', image('app:1'));
  await world.advance(60);
  expect(await images(world)).toEqual(['app:1', 'invalid.example/app:2']);
  await world.delete(Pod, 'db-1');
  expect(await images(world)).toEqual(['app:1', 'app:1']);
});

test('a pod that has failed is made anew', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2));
  const { uid } = (await world.get(Pod, 'db-0')).metadata;
  await world.patch(Pod, 'db-0', { status: { phase: 'Failed' } }, 'status');
  const pod = await world.get(Pod, 'db-0');
  expect(pod.metadata.uid).not.toBe(uid);
  expect(pod.status?.phase).toBe('Running');
  expect(await world.events('SuccessfulDelete')).toEqual([
    'SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful',
  ]);
});

test('each pod has its own claim; by default it outlives pod and set', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2, { volumeClaimTemplates: [data] }));
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0', 'data-db-1']);
  const [claim] = await world.list(PersistentVolumeClaim);
  expect(claim?.metadata.labels).toMatchObject(labels);
  expect(claim?.status?.phase).toBe('Bound');
  const { uid } = (await world.get(PersistentVolumeClaim, 'data-db-1')).metadata;
  await world.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
  await world.patch(StatefulSet, 'db', { spec: { replicas: 2 } });
  expect((await world.get(PersistentVolumeClaim, 'data-db-1')).metadata.uid).toBe(uid);
  await world.delete(StatefulSet, 'db');
  await world.advance(30);
  expect(await world.names(Pod)).toEqual([]);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0', 'data-db-1']);
});

test('whenScaled: Delete takes the claims of pods that are scaled away, not of pods that are replaced', async () => {
  await using world = await TestCluster.start();
  await world.create(
    StatefulSet,
    statefulSet(3, {
      volumeClaimTemplates: [data],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' },
    }),
  );
  await world.advance(10);
  await world.delete(Pod, 'db-2');
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0', 'data-db-1', 'data-db-2']);
  await world.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0']);
  await world.delete(StatefulSet, 'db');
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0']);
});

test('whenDeleted: Delete takes the claims along with the set', async () => {
  await using world = await TestCluster.start();
  await world.create(
    StatefulSet,
    statefulSet(2, {
      volumeClaimTemplates: [data],
      persistentVolumeClaimRetentionPolicy: { whenScaled: 'Retain', whenDeleted: 'Delete' },
    }),
  );
  await world.advance(10);
  await world.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0', 'data-db-1']);
  await world.delete(StatefulSet, 'db');
  await world.advance(10);
  expect(await world.names(Pod)).toEqual([]);
  expect(await world.names(PersistentVolumeClaim)).toEqual([]);
});

test('a claim that is on its way out goes before its pod comes back', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(1, { volumeClaimTemplates: [data] }));
  await world.advance(10);
  const { uid } = (await world.get(PersistentVolumeClaim, 'data-db-0')).metadata;
  await world.delete(PersistentVolumeClaim, 'data-db-0');
  expect((await world.get(PersistentVolumeClaim, 'data-db-0')).metadata.deletionTimestamp).toBeTruthy();
  await world.delete(Pod, 'db-0');
  await world.advance(10);
  expect((await world.get(PersistentVolumeClaim, 'data-db-0')).metadata.uid).not.toBe(uid);
  expect((await world.get(Pod, 'db-0')).status?.phase).toBe('Running');
});

test('old revisions go beyond the limit', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, { metadata: { name: 'db' }, spec: { clusterIP: 'None', selector: labels } });
  await world.create(StatefulSet, statefulSet(1, { revisionHistoryLimit: 1 }));
  for (const tag of ['2', '3', '4']) await world.patch(StatefulSet, 'db', image(`app:${tag}`));
  await world.advance(10);
  expect(await world.names(ControllerRevision)).toHaveLength(2);
  expect(await images(world)).toEqual(['app:4']);
});

test('revisions are named and labelled as Kubernetes names them', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, { ...statefulSet(1), metadata: { name: 'db', annotations: { note: 'x' } } });
  const [revision] = await world.list(ControllerRevision);
  const hash = revision?.metadata.labels?.['controller.kubernetes.io/hash'] ?? '';
  expect(revision?.metadata).toMatchObject({ name: `db-${hash}`, labels, annotations: { note: 'x' } });
  expect(revision?.revision).toBe(1);
  expect((await world.get(Pod, 'db-0')).metadata.labels).toMatchObject({ 'controller-revision-hash': `db-${hash}` });
  // FNV-1 of "0", its digits as letters
  expect(revisionHash('', 0)).toBe('d8bfb7bc');
});

test('a set that is made again takes over pods and revisions of the one before', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2));
  const before = (await world.list(Pod)).map(({ metadata }) => metadata.uid);
  const revisions = await world.names(ControllerRevision);
  await world.delete(StatefulSet, 'db', 'Orphan');
  await world.advance(5);
  await world.create(StatefulSet, statefulSet(2));
  await world.advance(5);
  expect((await world.list(Pod)).map(({ metadata }) => metadata.uid)).toEqual(before);
  expect(await world.names(ControllerRevision)).toEqual(revisions);
  const { uid } = (await world.get(StatefulSet, 'db')).metadata;
  const [revision] = await world.list(ControllerRevision);
  expect(revision?.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
  expect((await world.get(StatefulSet, 'db')).status).toMatchObject({ readyReplicas: 2, collisionCount: 0 });
});

test('a pod whose name is no ordinal is not the set’s; a lost label of identity comes back', async () => {
  await using world = await TestCluster.start();
  const spec = { containers: [{ name: 'c', image: 'a' }] };
  await world.create(Pod, { metadata: { name: 'stray', labels }, spec });
  await world.create(StatefulSet, statefulSet(1));
  expect((await world.get(Pod, 'stray')).metadata.ownerReferences ?? []).toEqual([]);
  await world.patch(Pod, 'db-0', { metadata: { labels: { 'statefulset.kubernetes.io/pod-name': null } } });
  expect((await world.get(Pod, 'db-0')).metadata.labels).toMatchObject({
    'statefulset.kubernetes.io/pod-name': 'db-0',
  });
  expect(await world.events('SuccessfulUpdate')).toEqual([
    'SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful',
  ]);
});

test('claims go with whom the policy says, also when it changes; a stranger’s control is respected', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2, { volumeClaimTemplates: [data] }));
  await world.advance(10);
  const owners = async (claim: string) =>
    ((await world.get(PersistentVolumeClaim, claim)).metadata.ownerReferences ?? []).map(({ kind, controller }) => [
      kind,
      controller,
    ]);
  expect(await owners('data-db-0')).toEqual([]);
  const policy = (whenDeleted: string, whenScaled: string) =>
    world.patch(StatefulSet, 'db', { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } } });
  await policy('Delete', 'Delete');
  expect(await owners('data-db-0')).toEqual([['StatefulSet', true]]);
  await policy('Retain', 'Delete');
  expect(await owners('data-db-0')).toEqual([]);
  const stranger = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u', controller: true };
  await world.create(ConfigMap, { metadata: { name: 'x' } });
  const { uid = '' } = (await world.get(ConfigMap, 'x')).metadata;
  await world.patch(PersistentVolumeClaim, 'data-db-0', { metadata: { ownerReferences: [{ ...stranger, uid }] } });
  await policy('Delete', 'Delete');
  expect(await owners('data-db-0')).toEqual([['ConfigMap', true]]);
  expect(await owners('data-db-1')).toEqual([['StatefulSet', true]]);
});

test('in order, a pod that is scaled away and not healthy holds up those above it that are not either', async () => {
  await using world = await TestCluster.start();
  const gate = { spec: { containers: [{ name: 'c', image: 'a' }], readinessGates: [{ conditionType: 'x/y' }] } };
  await world.create(
    StatefulSet,
    statefulSet(3, { podManagementPolicy: 'Parallel', template: { metadata: { labels }, ...gate } }),
  );
  await world.setCondition('db-0', 'x/y', 'True');
  const { spec } = await world.get(StatefulSet, 'db');
  await world.delete(StatefulSet, 'db', 'Orphan');
  await world.advance(5);
  await world.create(StatefulSet, {
    metadata: { name: 'db' },
    spec: { ...spec, replicas: 1, podManagementPolicy: 'OrderedReady' } as StatefulSetSpec,
  });
  await world.advance(60);
  expect(await world.names(Pod)).toEqual(['db-0', 'db-1', 'db-2']);
  await world.setCondition('db-2', 'x/y', 'True');
  await world.advance(60);
  expect(await world.names(Pod)).toEqual(['db-0']);
});

test('the status counts what is there: ended and leaving pods too', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2, { podManagementPolicy: 'Parallel' }));
  await world.patch(Pod, 'db-1', { metadata: { finalizers: ['test/hold'] } });
  await world.delete(Pod, 'db-1');
  const { status } = await world.get(StatefulSet, 'db');
  expect(status).toMatchObject({ replicas: 2, currentReplicas: 1, updatedReplicas: 1 });
  await world.patch(Pod, 'db-1', { metadata: { finalizers: null } });
  expect((await world.get(StatefulSet, 'db')).status).toMatchObject({
    replicas: 2,
    readyReplicas: 2,
    updatedReplicas: 2,
  });
});

test('a watch that is late never makes a pod twice or moves two at once', async () => {
  await using world = await TestCluster.start();
  for (const resource of ['statefulsets', 'pods', 'controllerrevisions'])
    world.cluster.faults.add({ match: { verb: 'watch', resource }, action: { watch: 'reorderless-late', ms: 2000 } });
  await world.create(StatefulSet, statefulSet(3));
  await world.advance(30);
  expect(await world.names(Pod)).toEqual(['db-0', 'db-1', 'db-2']);
  await world.patch(StatefulSet, 'db', image('app:2'));
  for (let second = 0; second < 60; second++) {
    await world.advance(10);
    expect((await world.list(Pod)).filter(({ status }) => status?.phase === 'Running').length).toBeGreaterThanOrEqual(
      2,
    );
  }
  expect(await images(world)).toEqual(['app:2', 'app:2', 'app:2']);
  expect(await world.names(ControllerRevision)).toHaveLength(2);
});

test('a pod whose port is taken on its node is made again until it is free', async () => {
  await using world = await TestCluster.start();
  const containers = [{ name: 'main', image: 'app:1', ports: [{ containerPort: 80, hostPort: 9000 }] }];
  const spec = { nodeName: 'node-1', containers };
  await world.create(Pod, { metadata: { name: 'other' }, spec });
  const metadata = { labels: { app: 'port' } };
  const port = { serviceName: 'port', replicas: 1, selector: { matchLabels: { app: 'port' } } };
  await world.create(StatefulSet, { metadata: { name: 'port' }, spec: { ...port, template: { metadata, spec } } });
  await world.advance(2);
  expect((await world.events('NodePorts')).length).toBeGreaterThan(0);
  await world.delete(Pod, 'other');
  await world.advance(5);
  expect((await world.get(Pod, 'port-0')).status?.phase).toBe('Running');
});
