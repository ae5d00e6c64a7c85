import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, VolumeAttributesClass } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';
import { claim, storageClass, user, volume } from './test-objects.ts';

test('a claim gets a volume, which goes with it', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({}));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  const bound = await world.get(PersistentVolumeClaim, 'data');
  expect(bound.status).toMatchObject({ phase: 'Bound', capacity: { storage: '1Gi' } });
  expect(bound.metadata.annotations).toMatchObject({ 'pv.kubernetes.io/bind-completed': 'yes' });
  const made = await world.get(PersistentVolume, bound.spec?.volumeName ?? '');
  expect(made.status?.phase).toBe('Bound');
  expect(made.spec?.claimRef?.uid).toBe(bound.metadata.uid);
  await world.delete(PersistentVolumeClaim, 'data');
  await world.advance(5);
  expect(await world.names(PersistentVolume)).toEqual([]);
});

test('the smallest volume that is large enough is taken, and kept when its policy is Retain', async () => {
  await using world = await TestCluster.start();
  for (const [name, size] of [
    ['big', '10Gi'],
    ['fit', '2Gi'],
    ['small', '500Mi'],
  ] as const)
    await world.create(PersistentVolume, volume(name, size));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }));
  expect((await world.get(PersistentVolumeClaim, 'data')).spec?.volumeName).toBe('fit');
  await world.delete(PersistentVolumeClaim, 'data');
  await world.advance(5);
  const phases = (await world.list(PersistentVolume)).map(({ metadata, status }) => [metadata.name, status?.phase]);
  expect(phases).toEqual([
    ['big', 'Available'],
    ['fit', 'Released'],
    ['small', 'Available'],
  ]);
});

test('WaitForFirstConsumer: no volume before a pod has a place', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ volumeBindingMode: 'WaitForFirstConsumer' }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.advance(60);
  expect((await world.get(PersistentVolumeClaim, 'data')).status?.phase).toBe('Pending');
  await world.create(Pod, user());
  await world.advance(1);
  const bound = await world.get(PersistentVolumeClaim, 'data');
  expect(bound.status?.phase).toBe('Bound');
  expect(bound.metadata.annotations).toMatchObject({ 'volume.kubernetes.io/selected-node': 'node-1' });
  expect((await world.get(Pod, 'user')).status?.phase).toBe('Running');
});

test('a claim whose class comes later is bound then', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.create(Pod, user());
  expect((await world.get(Pod, 'user')).status?.conditions?.[0]).toMatchObject({
    reason: 'Unschedulable',
    message: expect.stringContaining('pod has unbound immediate PersistentVolumeClaims'),
  });
  await world.create(StorageClass, storageClass({}));
  await world.advance(5);
  expect((await world.get(Pod, 'user')).status?.phase).toBe('Running');
});

test('a bound claim grows', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ allowVolumeExpansion: true }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.patch(PersistentVolumeClaim, 'data', { spec: { resources: { requests: { storage: '5Gi' } } } });
  const grown = await world.get(PersistentVolumeClaim, 'data');
  expect(grown.status?.capacity).toEqual({ storage: '5Gi' });
  expect((await world.get(PersistentVolume, grown.spec?.volumeName ?? '')).spec?.capacity).toEqual({ storage: '5Gi' });
});

test('a claim in use stays until its last pod has gone', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolumeClaim, claim());
  await world.create(Pod, user());
  await world.delete(PersistentVolumeClaim, 'data');
  await world.advance(60);
  expect((await world.get(PersistentVolumeClaim, 'data')).metadata.deletionTimestamp).toBeTruthy();
  await world.delete(Pod, 'user');
  await world.advance(1);
  expect(await world.names(PersistentVolumeClaim)).toEqual([]);
});

test('a claim whose volume is gone is Lost', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({}));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  const [name = ''] = await world.names(PersistentVolume);
  await world.patch(PersistentVolume, name, { metadata: { finalizers: null } });
  await world.delete(PersistentVolume, name);
  await world.patch(PersistentVolume, name, { metadata: { finalizers: null } }).catch(() => {});
  await world.advance(1);
  expect((await world.get(PersistentVolumeClaim, 'data')).status?.phase).toBe('Lost');
});

test('a class of volume attributes stays while a claim names it', async () => {
  await using world = await TestCluster.start();
  await world.create(VolumeAttributesClass, { metadata: { name: 'fast' }, driverName: 'd', parameters: { iops: '9' } });
  await world.create(PersistentVolumeClaim, {
    metadata: { name: 'data' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeAttributesClassName: 'fast',
    },
  });
  await world.delete(VolumeAttributesClass, 'fast');
  expect((await world.find(VolumeAttributesClass, 'fast'))?.metadata.deletionTimestamp).toBeDefined();
  await world.delete(PersistentVolumeClaim, 'data');
  expect(await world.find(VolumeAttributesClass, 'fast')).toBeUndefined();
});
