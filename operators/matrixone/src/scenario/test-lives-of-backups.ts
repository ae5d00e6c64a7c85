import { Secret } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { ANNOTATION_SKIP_SYNC, Backup, BackupJob, MatrixOneCluster } from '../api/index.ts';
import { cluster, exampleSecret, s3 } from './test-fault-objects.ts';
import type { FaultWorld } from './test-fault-world.ts';
import { at, create, gone, type Life, remove, settled } from './test-steps.ts';

/** A cluster that serves, as a backup sees it. */
async function serving(world: FaultWorld): Promise<void> {
  const served = cluster({});
  await create(MatrixOneCluster, { ...served, metadata: { name: 'mo', annotations: { [ANNOTATION_SKIP_SYNC]: 'y' } } })(
    world,
  );
  const status = { host: 'mo-proxy.default', port: 6001, credentialRef: { name: 'mo-credential' } };
  await world.drive(world.client.of(MatrixOneCluster).patchStatus(at('mo'), merge({ status })));
}

const target = { s3: { ...s3, path: 'lake/backup', secretRef: { name: 'keys' } } };
const backupJob = (name: string, ttl: string): BackupJob => ({
  metadata: { name },
  spec: { ttl, source: { clusterRef: 'mo' }, target },
});
const backups = async ({ client }: FaultWorld) => (await client.of(Backup).list()).items.length;
const phase =
  (name: string) =>
  async ({ client }: FaultWorld) =>
    (await client.of(BackupJob).find(at(name)))?.status?.phase;

const backupJobs: Life = {
  kind: 'BackupJob',
  steps: [
    { name: 'a cluster', run: serving, reached: async () => true, first: true },
    {
      name: 'create',
      run: create(BackupJob, backupJob('one', '1m')),
      reached: async (world) => (await phase('one')(world)) === 'Completed' || (await gone(BackupJob, 'one')(world)),
      first: true,
    },
    { name: 'wait', run: async () => {}, reached: gone(BackupJob, 'one'), first: true },
  ],
};

const backupRecords: Life = {
  kind: 'Backup',
  steps: [
    { name: 'a cluster', run: serving, reached: async () => true, first: true },
    {
      name: 'create',
      run: create(BackupJob, backupJob('one', '1h')),
      reached: async (world) => (await backups(world)) === 1,
      first: true,
    },
    { name: 'delete the job', run: remove(BackupJob, 'one'), reached: gone(BackupJob, 'one'), first: true },
    {
      name: 'another one',
      run: create(BackupJob, backupJob('two', '1h')),
      reached: async (world) => (await phase('two')(world)) === 'Completed',
      first: true,
    },
    { name: 'delete it', run: remove(BackupJob, 'two'), reached: gone(BackupJob, 'two') },
  ],
};

const taken = '2026-01-02T03:04:05Z';
const backup: Backup = {
  metadata: { name: 'b' },
  meta: { location: target, id: '0192-aaaa', raw: '0192-aaaa,raw', sourceRef: 'x', atTime: taken, completeTime: taken },
};

const restores: Life = {
  kind: 'RestoreJob',
  steps: [
    {
      name: 'create',
      async run(world) {
        await create(Secret, exampleSecret)(world);
        await create(Backup, backup)(world);
        await create(MatrixOneCluster, cluster({ restoreFrom: 'b' }))(world);
      },
      reached: settled(MatrixOneCluster, 'mo'),
    },
    { name: 'delete', run: remove(MatrixOneCluster, 'mo'), reached: gone(MatrixOneCluster, 'mo') },
  ],
};

/** Lives of backups. */
export const livesOfBackups: readonly Life[] = [backupJobs, backupRecords, restores];
