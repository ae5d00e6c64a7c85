import { Job, type Kind, Service } from '@coxswain/k8s';
import { statusChanged } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';
import { BackupJob, FINALIZER_BACKUP_JOB, FINALIZER_RESTORE_JOB, RestoreJob } from '../api/index.ts';
import { childrenOfSets, FIELD_MANAGER } from '../controllers/index.ts';
import type { MatrixOneOptions } from '../options.ts';
import { backupTask } from './backup-task.ts';
import { JobActor, type JobTask } from './job-actor.ts';
import { chartBackupImage } from './options.ts';
import { httpReports } from './report.ts';
import { restoreTask } from './restore-task.ts';

const scope = childrenOfSets;

/** Adds the controllers of backups and restores to a manager, unless they are off. */
export function setupBackups(manager: Manager, { backup = {} }: MatrixOneOptions = {}): void {
  if (backup === false) return;
  const { image = chartBackupImage, reports = httpReports } = backup;
  const add = <T extends BackupJob | RestoreJob>(kind: Kind<T>, task: JobTask<T>, finalizer: string) =>
    manager
      .actor(kind, new JobActor(task, { image, reports }), { fieldManager: FIELD_MANAGER, finalizer })
      .owns(Job, { scope, where: statusChanged })
      .owns(Service, { scope })
      .run();
  add(BackupJob, backupTask, FINALIZER_BACKUP_JOB);
  add(RestoreJob, restoreTask, FINALIZER_RESTORE_JOB);
}
