import {
  ControllerRevision,
  PersistentVolumeClaim,
  Pod,
  Service,
  StatefulSet,
  type StatefulSetSpec,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster, template } from '../test-cluster.ts';

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
  expect(await world.events('RecreatingFailedPod')).toHaveLength(1);
});

test('each pod has its own claim; by default it outlives pod and set', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(2, { volumeClaimTemplates: [data] }));
  await world.advance(1);
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
  await world.advance(1);
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
  await world.advance(1);
  await world.patch(StatefulSet, 'db', { spec: { replicas: 1 } });
  await world.advance(10);
  expect(await world.names(PersistentVolumeClaim)).toEqual(['data-db-0', 'data-db-1']);
  await world.delete(StatefulSet, 'db');
  await world.advance(10);
  expect(await world.names(Pod)).toEqual([]);
  expect((await world.names(PersistentVolumeClaim)).filter((name) => name === 'data-db-0')).toEqual([]);
});

test('a claim that is on its way out goes before its pod comes back', async () => {
  await using world = await TestCluster.start();
  await world.create(StatefulSet, statefulSet(1, { volumeClaimTemplates: [data] }));
  await world.advance(1);
  const { uid } = (await world.get(PersistentVolumeClaim, 'data-db-0')).metadata;
  await world.delete(PersistentVolumeClaim, 'data-db-0');
  expect((await world.get(PersistentVolumeClaim, 'data-db-0')).metadata.deletionTimestamp).toBeTruthy();
  await world.delete(Pod, 'db-0');
  await world.advance(3);
  expect((await world.get(PersistentVolumeClaim, 'data-db-0')).metadata.uid).not.toBe(uid);
  expect((await world.get(Pod, 'db-0')).status?.phase).toBe('Running');
});

test('old revisions go beyond the limit', async () => {
  await using world = await TestCluster.start();
  await world.create(Service, { metadata: { name: 'db' }, spec: { clusterIP: 'None', selector: labels } });
  await world.create(StatefulSet, statefulSet(1, { revisionHistoryLimit: 1 }));
  for (const tag of ['2', '3', '4']) await world.patch(StatefulSet, 'db', image(`app:${tag}`));
  await world.advance(1);
  expect(await world.names(ControllerRevision)).toHaveLength(2);
  expect(await images(world)).toEqual(['app:4']);
});
