import {
  type Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  StorageClass,
  VolumeAttributesClass,
} from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';
import { provisioner } from './names.ts';
import { volumeAffinity } from './provisioned-volume.ts';
import { claim, storageClass, user } from './test-objects.ts';

const grow = { spec: { resources: { requests: { storage: '5Gi' } } } };

async function grown(world: TestCluster) {
  const { status, spec } = await world.get(PersistentVolumeClaim, 'data');
  const volume = await world.get(PersistentVolume, spec?.volumeName ?? '');
  const conditions = (status?.conditions ?? []).map(({ type }) => type).filter((type) => type !== 'Unused');
  return {
    claim: status?.capacity?.['storage'],
    volume: volume.spec?.capacity?.['storage'],
    old: volume.metadata.annotations?.['volume.alpha.kubernetes.io/pre-resize-capacity'],
    conditions,
    allocated: status?.allocatedResources?.['storage'],
    step: status?.allocatedResourceStatuses?.['storage'],
  };
}

const done = { claim: '5Gi', volume: '5Gi', old: undefined, conditions: [], allocated: '5Gi', step: undefined };

test('a volume that nobody mounts grows at once', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ allowVolumeExpansion: true }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.patch(PersistentVolumeClaim, 'data', grow);
  expect(await grown(world)).toEqual(done);
  await world.advance(1);
  expect(await world.events('Resizing')).toHaveLength(1);
  expect(await world.events('VolumeResizeSuccessful')).toHaveLength(1);
});

test('a volume in use grows, then its file system on the node', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ allowVolumeExpansion: true }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.create(Pod, user());
  await world.advance(5);
  expect((await world.get(Pod, 'user')).status?.phase).toBe('Running');
  await world.patch(PersistentVolumeClaim, 'data', grow);
  expect(await grown(world)).toEqual(done);
  await world.advance(1);
  expect(await world.events('FileSystemResizeRequired')).toEqual([
    'FileSystemResizeRequired: Require file system resize of volume on node',
  ]);
  expect(await world.events('FileSystemResizeSuccessful')).toHaveLength(2);
});

test('while no pod that mounts it runs, the file system waits', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ allowVolumeExpansion: true }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  const image = [
    { name: 'gate', image: 'app:1', env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'later', key: 'a' } } }] },
  ];
  await world.create(Pod, user('user', { containers: image }));
  await world.advance(5);
  await world.patch(PersistentVolumeClaim, 'data', grow);
  expect(await grown(world)).toEqual({
    claim: '1Gi',
    volume: '5Gi',
    old: '1Gi',
    conditions: ['Resizing', 'FileSystemResizePending'],
    allocated: '5Gi',
    step: 'NodeResizePending',
  });
  await world.delete(Pod, 'user');
  await world.advance(1);
  expect(await grown(world)).toEqual(done);
});

test('volumes of others are left to their own resizer', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ allowVolumeExpansion: true }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  const name = (await world.names(PersistentVolume))[0] ?? '';
  await world.patch(PersistentVolume, name, { metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'x' } } });
  await world.patch(PersistentVolumeClaim, 'data', grow);
  expect(await grown(world)).toMatchObject({ claim: '1Gi', volume: '1Gi' });
  await world.advance(1);
  expect(await world.events('ExternalExpanding')).toEqual([
    'ExternalExpanding: waiting for an external controller to expand this PVC',
  ]);
});

test('a claim tells since when it is used', async () => {
  await using world = await TestCluster.start();
  const unused = async () => {
    const { status } = await world.get(PersistentVolumeClaim, 'data');
    const condition = status?.conditions?.find(({ type }) => type === 'Unused');
    return [condition?.status, condition?.reason];
  };
  await world.create(StorageClass, storageClass());
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  expect(await unused()).toEqual(['True', 'NoPodsUsingPVC']);
  await world.create(Pod, user());
  expect(await unused()).toEqual(['False', 'PodUsingPVC']);
  await world.delete(Pod, 'user');
  await world.advance(40);
  expect(await unused()).toEqual(['True', 'NoPodsUsingPVC']);
});

test('a pod without a node does not keep a claim', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass());
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.create(Pod, user('user', { nodeSelector: { none: 'here' } }));
  await world.delete(PersistentVolumeClaim, 'data');
  expect(await world.names(PersistentVolumeClaim)).toEqual([]);
});

test('ephemeral volumes have claims that belong to the pod and go with it', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass());
  const volumeClaimTemplate = {
    metadata: { labels: { for: 'scratch' } },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'late', resources: { requests: { storage: '1Gi' } } },
  };
  const pod = await world.create(Pod, user('user', { volumes: [{ name: 'tmp', ephemeral: { volumeClaimTemplate } }] }));
  await world.advance(5);
  const made = await world.get(PersistentVolumeClaim, 'user-tmp');
  expect(made.metadata).toMatchObject({
    labels: { for: 'scratch' },
    ownerReferences: [{ uid: pod.metadata.uid, controller: true }],
  });
  expect((await world.get(Pod, 'user')).status?.phase).toBe('Running');
  await world.delete(PersistentVolumeClaim, 'user-tmp');
  expect(await world.names(PersistentVolumeClaim)).toEqual(['user-tmp']);
  await world.delete(Pod, 'user');
  await world.advance(60);
  expect(await world.names(PersistentVolumeClaim)).toEqual([]);
  expect(await world.names(PersistentVolume)).toEqual([]);
});

test('an ephemeral volume never takes a claim of somebody else', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolumeClaim, claim({}, 'user-tmp'));
  const ephemeral = { volumeClaimTemplate: { spec: claim().spec ?? {} } };
  await world.create(Pod, user('user', { volumes: [{ name: 'tmp', ephemeral }] }));
  await world.advance(1);
  expect(await world.events('FailedBinding')).toEqual([
    'FailedBinding: ephemeral volume tmp: PVC default/user-tmp was not created for pod default/user (pod is not owner)',
  ]);
});

test('a bound claim changes its attributes class', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass());
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.patch(PersistentVolumeClaim, 'data', { spec: { volumeAttributesClassName: 'fast' } });
  expect((await world.get(PersistentVolumeClaim, 'data')).status?.modifyVolumeStatus).toEqual({
    status: 'Pending',
    targetVolumeAttributesClassName: 'fast',
  });
  await world.create(VolumeAttributesClass, {
    metadata: { name: 'fast' },
    driverName: provisioner,
    parameters: { iops: '9' },
  });
  const { status, spec } = await world.get(PersistentVolumeClaim, 'data');
  expect(status?.currentVolumeAttributesClassName).toBe('fast');
  expect(status?.modifyVolumeStatus).toBeUndefined();
  expect((await world.get(PersistentVolume, spec?.volumeName ?? '')).spec?.volumeAttributesClassName).toBe('fast');
});

test('where a volume can be used', async () => {
  const node = (runtime: string): Node =>
    ({
      metadata: { name: 'n', labels: { 'kubernetes.io/hostname': 'host-1', zone: 'b' } },
      status: { nodeInfo: { containerRuntimeVersion: runtime } },
    }) as never;
  const expressions = (affinity: ReturnType<typeof volumeAffinity>) =>
    affinity?.required?.nodeSelectorTerms?.[0]?.matchExpressions;
  const anywhere = storageClass();
  const zoned = storageClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'b'] }] }] });
  expect(volumeAffinity(anywhere, undefined)).toBeUndefined();
  expect(volumeAffinity(anywhere, node('simulated://1'))).toBeUndefined();
  expect(expressions(volumeAffinity(anywhere, node('process://1')))).toEqual([
    { key: 'kubernetes.io/hostname', operator: 'In', values: ['host-1'] },
  ]);
  expect(expressions(volumeAffinity(zoned, node('simulated://1')))).toEqual([
    { key: 'zone', operator: 'In', values: ['b'] },
  ]);
  expect(expressions(volumeAffinity(zoned, undefined))).toEqual([{ key: 'zone', operator: 'In', values: ['a', 'b'] }]);
});
