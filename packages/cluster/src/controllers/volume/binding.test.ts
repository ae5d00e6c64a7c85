import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import { expect, test } from 'vitest';
import { TestCluster } from '../test-cluster.ts';
import { claim, storageClass, user, volume } from './test-objects.ts';

const standard = { metadata: { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } } };

/** Events about claims and volumes, without those of nodes and pods. */
async function told(world: TestCluster): Promise<readonly string[]> {
  await world.advance(1);
  const events = await world.events();
  return events.filter((text) => !/^(RegisteredNode|Scheduled|Pull|Creat|Start|FailedScheduling)/.test(text)).sort();
}

async function phases(world: TestCluster): Promise<Readonly<Record<string, string | undefined>>> {
  const volumes = await world.list(PersistentVolume);
  return Object.fromEntries(volumes.map(({ metadata, status }) => [metadata.name, status?.phase]));
}

test('both sides are marked by whom they were bound', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolume, volume('disk', '2Gi'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }));
  expect((await world.get(PersistentVolumeClaim, 'data')).metadata.annotations).toEqual({
    'pv.kubernetes.io/bind-completed': 'yes',
    'pv.kubernetes.io/bound-by-controller': 'yes',
  });
  expect((await world.get(PersistentVolume, 'disk')).metadata.annotations).toEqual({
    'pv.kubernetes.io/bound-by-controller': 'yes',
  });
});

test('a volume that is set aside goes to its claim, and to no other', async () => {
  await using world = await TestCluster.start();
  const claimRef = { namespace: 'default', name: 'data' };
  await world.create(PersistentVolume, volume('aside', '5Gi', { claimRef }));
  await world.create(PersistentVolume, volume('fit', '1Gi'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }, 'other'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }));
  expect((await world.get(PersistentVolumeClaim, 'other')).spec?.volumeName).toBe('fit');
  expect((await world.get(PersistentVolumeClaim, 'data')).spec?.volumeName).toBe('aside');
  expect((await world.get(PersistentVolume, 'aside')).metadata.annotations).toBeUndefined();
});

test('a claim that names its volume gets that one, or hears why not', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolume, volume('small', '500Mi'));
  await world.create(PersistentVolume, volume('taken', '1Gi', { claimRef: { namespace: 'default', name: 'x' } }));
  await world.create(PersistentVolume, volume('good', '1Gi'));
  for (const name of ['small', 'taken', 'none', 'good'])
    await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual', volumeName: name }, name));
  const statuses = (await world.list(PersistentVolumeClaim)).map(({ metadata, status }) => [
    metadata.name,
    status?.phase,
  ]);
  expect(statuses).toEqual([
    ['good', 'Bound'],
    ['none', 'Pending'],
    ['small', 'Pending'],
    ['taken', 'Pending'],
  ]);
  expect((await world.get(PersistentVolumeClaim, 'good')).metadata.annotations).toEqual({
    'pv.kubernetes.io/bind-completed': 'yes',
  });
  expect(await told(world)).toEqual([
    'FailedBinding: volume "taken" already bound to a different claim.',
    'VolumeMismatch: Cannot bind to requested volume "small": requested PV is too small',
  ]);
});

test.each<[string, object, object]>([
  ['access modes', { accessModes: ['ReadWriteMany'] }, {}],
  ['a mode', { volumeMode: 'Block' }, {}],
  ['a selector', { selector: { matchLabels: { disk: 'fast' } } }, {}],
  ['a class', { storageClassName: '' }, {}],
])('a volume without what a claim asks for is passed over: %s', async (_what, wanted) => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolume, volume('disk', '2Gi'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual', ...wanted }));
  expect((await world.get(PersistentVolumeClaim, 'data')).status?.phase).toBe('Pending');
  expect(await phases(world)).toEqual({ disk: 'Available' });
});

test('a claim without a class and without a volume says so, and takes the default class when it comes', async () => {
  await using world = await TestCluster.start();
  await world.patch(StorageClass, 'standard', { metadata: { annotations: null } });
  await world.create(PersistentVolumeClaim, claim());
  expect((await world.get(PersistentVolumeClaim, 'data')).spec?.storageClassName).toBeUndefined();
  expect(await told(world)).toEqual([
    'FailedBinding: no persistent volumes available for this claim and no storage class is set',
  ]);
  await world.patch(StorageClass, 'standard', standard);
  const bound = await world.get(PersistentVolumeClaim, 'data');
  expect(bound.spec?.storageClassName).toBe('standard');
});

test('the provisioner of the class is asked; nobody else makes volumes of it', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, { metadata: { name: 'ebs' }, provisioner: 'ebs.csi.aws.com' });
  await world.create(StorageClass, { metadata: { name: 'local' }, provisioner: 'kubernetes.io/no-provisioner' });
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'ebs' }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'local' }, 'local'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'gone' }, 'gone'));
  expect((await world.get(PersistentVolumeClaim, 'data')).metadata.annotations).toEqual({
    'volume.beta.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com',
    'volume.kubernetes.io/storage-provisioner': 'ebs.csi.aws.com',
  });
  expect(await phases(world)).toEqual({});
  expect(await told(world)).toEqual([
    "ExternalProvisioning: Waiting for a volume to be created either by the external provisioner 'ebs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    'ProvisioningFailed: no volume plugin matched name: kubernetes.io/no-provisioner',
    'ProvisioningFailed: storageclass.storage.k8s.io "gone" not found',
  ]);
});

test('what is made has the properties of its class and its claim', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ reclaimPolicy: 'Retain', mountOptions: ['noatime'] }));
  const wanted = { storageClassName: 'late', accessModes: ['ReadWriteOncePod'] };
  await world.create(PersistentVolumeClaim, claim(wanted));
  const bound = await world.get(PersistentVolumeClaim, 'data');
  const made = await world.get(PersistentVolume, bound.spec?.volumeName ?? '');
  expect(made.metadata).toMatchObject({
    name: `pvc-${bound.metadata.uid}`,
    annotations: { 'pv.kubernetes.io/provisioned-by': 'coxswain.io/embedded' },
  });
  expect(made.spec).toMatchObject({
    accessModes: ['ReadWriteOncePod'],
    capacity: { storage: '1Gi' },
    mountOptions: ['noatime'],
    persistentVolumeReclaimPolicy: 'Retain',
    storageClassName: 'late',
  });
  expect(made.spec?.nodeAffinity).toBeUndefined();
  expect((await told(world)).filter((text) => text.startsWith('Provisioning'))).toEqual([
    'Provisioning: External provisioner is provisioning volume for claim "default/data"',
    `ProvisioningSucceeded: Successfully provisioned volume ${made.metadata.name}`,
  ]);
});

test('what cannot be made is told', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass());
  const dataSource = { kind: 'PersistentVolumeClaim', name: 'origin' };
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late', dataSource }));
  await world.create(
    PersistentVolumeClaim,
    claim({ storageClassName: 'late', selector: { matchLabels: { a: 'b' } } }, 'picky'),
  );
  expect((await told(world)).filter((text) => text.startsWith('ProvisioningFailed'))).toEqual([
    'ProvisioningFailed: failed to provision volume with StorageClass "late": PersistentVolumeClaim "origin" cannot be copied here: create the claim without a data source and fill the volume from a pod',
    'ProvisioningFailed: failed to provision volume with StorageClass "late": claim Selector is not supported',
  ]);
  expect(await phases(world)).toEqual({});
});

test('a claim that waits for a pod says for which', async () => {
  await using world = await TestCluster.start();
  await world.create(StorageClass, storageClass({ volumeBindingMode: 'WaitForFirstConsumer' }));
  await world.create(Pod, user('user', { nodeSelector: { none: 'here' } }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'late' }, 'lonely'));
  expect(await told(world)).toEqual([
    'WaitForFirstConsumer: waiting for first consumer to be created before binding',
    'WaitForPodScheduled: waiting for pod user to be scheduled',
  ]);
});

test('what becomes of a volume whose claim is gone', async () => {
  await using world = await TestCluster.start();
  const policy = (persistentVolumeReclaimPolicy: string) => ({ persistentVolumeReclaimPolicy });
  await world.create(PersistentVolume, volume('delete', '1Gi', policy('Delete')));
  const hostPath = { path: '/tmp/data' };
  await world.create(PersistentVolume, volume('temporary', '1Gi', { ...policy('Delete'), hostPath }));
  await world.create(PersistentVolume, volume('retain', '1Gi', policy('Retain')));
  await world.create(PersistentVolume, volume('recycle', '1Gi', policy('Recycle')));
  for (const name of ['delete', 'temporary', 'retain', 'recycle']) {
    await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual', volumeName: name }, name));
    await world.delete(PersistentVolumeClaim, name);
  }
  expect(await phases(world)).toEqual({ delete: 'Failed', recycle: 'Failed', retain: 'Released' });
  expect((await world.get(PersistentVolume, 'delete')).status?.message).toBe(
    'host_path deleter only supports /tmp/.+ but received provided /data/delete',
  );
  // a new claim by the old name gets nothing of it, until a user frees the volume
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }, 'retain'));
  expect((await world.get(PersistentVolumeClaim, 'retain')).status?.phase).toBe('Pending');
  await world.patch(PersistentVolume, 'retain', { spec: { claimRef: null } });
  expect((await world.get(PersistentVolumeClaim, 'retain')).status?.phase).toBe('Bound');
});

test('a volume that is deleted stays while a claim is bound to it', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolume, volume('disk', '1Gi'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }));
  await world.delete(PersistentVolume, 'disk');
  await world.advance(60);
  expect((await world.get(PersistentVolume, 'disk')).metadata.deletionTimestamp).toBeTruthy();
  await world.delete(PersistentVolumeClaim, 'data');
  expect(await world.names(PersistentVolume)).toEqual([]);
});

test('two claims never share a volume: the one it is not for is lost', async () => {
  await using world = await TestCluster.start();
  await world.create(PersistentVolume, volume('disk', '1Gi'));
  await world.create(PersistentVolumeClaim, claim({ storageClassName: 'manual' }));
  await world.create(PersistentVolumeClaim, {
    ...claim({ storageClassName: 'manual', volumeName: 'disk' }, 'thief'),
    metadata: { name: 'thief', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
  });
  expect((await world.get(PersistentVolumeClaim, 'thief')).status?.phase).toBe('Lost');
  expect((await world.get(PersistentVolumeClaim, 'data')).status?.phase).toBe('Bound');
  expect(await told(world)).toEqual([
    'ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly',
  ]);
});
