import { Job } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { expect, test } from 'vitest';
import { LogSet, MatrixOneCluster, RestoreJob } from '../api/index.ts';
import { BackupWorld, done, ended, failure, running, runs, s3 } from './test-world.ts';

const key = { namespace: 'default', name: 'mo' };
const jobKey = { namespace: 'default', name: 'restore-mo' };

const told = (type: string, reason: string) => (cluster: MatrixOneCluster) =>
  cluster.status?.conditions?.some((condition) => condition.type === type && condition.reason === reason) ?? false;
const isComplete = ({ metadata }: MatrixOneCluster) =>
  metadata.annotations?.['matrixorigin.io/restore-complete'] === 'True';

async function withBackup(options: Parameters<typeof BackupWorld.start>[0] = {}): Promise<BackupWorld> {
  const world = await BackupWorld.start(options);
  await world.createBackup();
  return world;
}

async function logSet(world: BackupWorld): Promise<LogSet> {
  return world.until(
    () => world.client.of(LogSet).find(key),
    () => true,
  );
}

test('a cluster waits for its backup to be restored, and starts from it', async () => {
  await using world = await withBackup();
  world.report = running;
  await world.createCluster({ restoreFrom: 'b' });
  await world.until(world.cluster, told('Restored', 'Restoring'));
  await world.clock.advance(60_000);
  const waiting = await world.until(world.cluster, told('Ready', 'Restoring'));
  expect(waiting.status?.restore?.phase).toBe('Running');
  expect(await world.drive(world.client.of(LogSet).find(key))).toBeUndefined();
  const job = await world.drive(world.client.of(Job).get(jobKey));
  expect(job.spec?.template.spec?.containers[0]?.command?.[2]).toContain(
    '--restore_bucket=lake --restore_filepath=prod',
  );
  world.report = done();
  await world.until(world.cluster, isComplete);
  expect((await logSet(world)).spec.initialConfig?.restoreFrom).toBe('hk_data');
  const cluster = await world.until(world.cluster, told('Restored', 'RestoreComplete'));
  expect(cluster.status?.restore).toMatchObject({ phase: 'Completed' });
  expect(world.tooEarly).toEqual([]);
  // Its time over, the RestoreJob goes, and whatever becomes of the marks, nothing is restored again.
  await world.gone(world.restoreJob, 7_200);
  const annotations = { 'matrixorigin.io/restore-complete': null };
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ metadata: { annotations } })));
  await world.until(world.cluster, isComplete);
  await world.drive(world.client.of(MatrixOneCluster).patchStatus(key, merge({ status: { restore: null } })));
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ metadata: { annotations } })));
  await world.until(world.cluster, isComplete);
  await world.clock.advance(60_000);
  expect(await world.drive(world.restoreJob())).toBeUndefined();
  expect([runs(world), world.released.size]).toEqual([[1], 1]);
});

test('a cluster that waits for a Backup, and is deleted while it is restored, leaves nothing', async () => {
  await using world = await BackupWorld.start();
  world.report = running;
  await world.createCluster({ restoreFrom: 'b' });
  await world.until(world.cluster, told('Restored', 'BackupNotFound'));
  await world.createBackup();
  await world.letRun(jobKey);
  await world.drive(world.client.of(MatrixOneCluster).delete(key));
  await world.gone(world.cluster);
  await world.gone(world.restoreJob);
  await world.gone(() => world.client.of(Job).find(jobKey));
});

test.each([
  ['RestoreJob is deleted', (world: BackupWorld) => world.client.of(RestoreJob).delete(jobKey)],
  ['Job is deleted', (world: BackupWorld) => world.client.of(Job).delete(jobKey, { propagation: 'Background' })],
])('when its %s while it runs, the cluster says that the restore failed and does not start', async (_, harm) => {
  await using world = await withBackup();
  world.report = running;
  await world.createCluster({ restoreFrom: 'b' });
  await world.letRun(jobKey);
  await world.drive<unknown>(harm(world));
  world.report = done();
  await world.until(world.cluster, told('Ready', 'RestoreFailed'));
  await world.clock.advance(3_700_000);
  expect(told('Restored', 'RestoreFailed')((await world.drive(world.cluster())) as MatrixOneCluster)).toBe(true);
  expect([runs(world), world.released.size]).toEqual([[1], 1]);
  expect(await world.drive(world.client.of(LogSet).find(key))).toBeUndefined();
  // Somebody sees to the data, and says so.
  const annotations = { 'matrixorigin.io/restore-complete': 'True' };
  await world.drive(world.client.of(MatrixOneCluster).patch(key, merge({ metadata: { annotations } })));
  await logSet(world);
});

test('a program that fails fails the cluster, with what it said', async () => {
  await using world = await withBackup();
  world.report = failure;
  await world.createCluster({ restoreFrom: 'b' });
  const cluster = await world.until(world.cluster, told('Ready', 'RestoreFailed'));
  expect(cluster.status?.restore?.message).toBe('RestoreJob restore-mo failed: exit code 3: no bucket, password=***');
});

test('an operator that was away for longer than RestoreJobs are kept sees the end all the same', async () => {
  await using world = await withBackup();
  await world.createCluster({ restoreFrom: 'b' });
  await world.until(world.restoreJob, ({ status }) => status?.phase === 'Completed');
  await world.stopOperators();
  await world.drive(world.client.of(RestoreJob).patch(jobKey, merge({ spec: { ttl: '1s' } })));
  await world.clock.advance(60_000);
  await world.launch();
  await world.until(world.cluster, isComplete);
  await logSet(world);
  expect(runs(world)).toEqual([1]);
});

test('where there is a log service there is data, and nothing is restored', async () => {
  await using world = await withBackup({ off: true });
  await world.createCluster({ restoreFrom: 'b' });
  await world.until(world.cluster, told('Ready', 'RestoreNotDone'));
  const { metadata, spec } = (await world.drive(world.cluster())) as MatrixOneCluster;
  const owner = {
    apiVersion: 'core.matrixorigin.io/v1alpha1',
    kind: 'MatrixOneCluster',
    name: 'mo',
    uid: metadata.uid ?? '',
  };
  const ownerReferences = [{ ...owner, controller: true, blockOwnerDeletion: true }];
  const own = { ...spec.logService, image: 'mo:2.1.0' };
  await world.drive(world.client.of(LogSet).create({ metadata: { ...key, ownerReferences }, spec: own }));
  await world.stopOperators();
  await world.launch();
  await world.until(world.cluster, isComplete);
  expect(await world.drive(world.restoreJob())).toBeUndefined();
});

test('a RestoreJob of its own needs a Backup or a place of one, and is refused without for good', async () => {
  await using world = await BackupWorld.start();
  world.report = running;
  const target = { fileSystem: { path: '/data' } };
  const create = (name: string, spec: Omit<RestoreJob['spec'], 'target'>) =>
    world.drive(
      world.client.of(RestoreJob).create({ metadata: { name, namespace: 'default' }, spec: { target, ...spec } }),
    );
  const find = (name: string) => () => world.client.of(RestoreJob).find({ namespace: 'default', name });
  await create('none', {});
  await create('both', { backupName: 'b', externalSource: { fileSystem: { path: '/x' } } });
  await create('nowhere', { externalSource: { s3: { path: '/' } } });
  await create('external', { externalSource: { s3 } });
  await create('rs', { backupName: 'b' });
  const failed = ({ status }: RestoreJob) => status?.phase === 'Failed';
  expect(ended(await world.until(find('none'), failed))[3]).toBe('spec.backupName: it or externalSource must be set');
  expect(ended(await world.until(find('both'), failed))[3]).toContain('not both');
  expect(ended(await world.until(find('nowhere'), failed))[3]).toContain('spec.externalSource.s3.path');
  const external = await world.letRun({ namespace: 'default', name: 'external' });
  const [container] = external.spec?.template.spec?.containers ?? [];
  expect(container?.command?.[2]).toMatch(/^\/mo_br restore --backup_dir s3 .* --restore_path=\/data$/);
  expect(container?.env?.map(({ name }) => name)).toEqual(['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']);
  world.report = done();
  await world.until(find('external'), ({ status }) => status?.phase === 'Completed');
  await world.until(find('rs'), (job) => ended(job)[2] === 'BackupNotFound');
  await world.createBackup();
  await world.until(find('rs'), ({ status }) => status?.phase === 'Completed');
  const job = { namespace: 'default', name: 'rs' };
  await world.gone(() => world.client.of(Job).find(job));
  expect(runs(world)).toEqual([1, 1]);
});
