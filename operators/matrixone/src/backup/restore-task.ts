import type { EnvVar } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerOf } from '@coxswain/runtime/controller';
import { ANNOTATION_HELD, Backup, MatrixOneCluster, RestoreJob, type SharedStorage } from '../api/index.ts';
import { storageProblem } from './backup-task.ts';
import type { JobTask } from './job-actor.ts';
import { fromSecret } from './job-objects.ts';
import { literal, restoreExternalLine, restoreLine } from './program-line.ts';
import { say } from './say.ts';

/** Milliseconds between looks at a Backup that is not there. */
const lookAgain = 15_000;

/** Runs the backup program to bring a Backup to where a cluster will find its data. */
export const restoreTask: JobTask<RestoreJob> = {
  kind: RestoreJob,
  component: 'RestoreJob',
  overlayOf: ({ overlay }) => overlay,
  problem: ({ spec: { backupName, externalSource, target } }) => {
    if (backupName && externalSource) return 'spec.externalSource: give it or backupName, not both';
    if (!backupName && !externalSource) return 'spec.backupName: it or externalSource must be set';
    const source = externalSource && storageProblem('spec.externalSource', externalSource);
    return source ?? storageProblem('spec.target', target);
  },
  async program(context) {
    const { externalSource, target } = context.object.spec;
    if (externalSource)
      return { line: restoreExternalLine(externalSource, target), env: keysOf(externalSource, target) };
    const { meta } = await backupOf(context);
    return { line: restoreLine(meta.id, meta.location, target), env: restoreEnv(meta, target) };
  },
  accept: async () => ({}),
  accepted: async () => undefined,
  keptFor,
  heldFor: ({ metadata }) =>
    metadata.annotations?.[ANNOTATION_HELD] ? 'its cluster has not taken note of it yet' : undefined,
};

/** The record of the backup, and the keys of where it is and of where it goes. */
export function restoreEnv({ raw, location }: Backup['meta'], target: SharedStorage): readonly EnvVar[] {
  return [{ name: 'RAW_META', value: literal(raw) }, ...keysOf(location, target)];
}

function keysOf(source: SharedStorage, target: SharedStorage): readonly EnvVar[] {
  const [from, to] = [source.s3?.secretRef, target.s3?.secretRef];
  const keys = ['ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'];
  return [
    ...(from ? keys.map((key) => fromSecret(`AWS_${key}`, from.name)) : []),
    ...(to ? keys.map((key) => fromSecret(`RESTORE_${key}`, to.name, `AWS_${key}`)) : []),
  ];
}

/** @throws Resync while there is none */
async function backupOf(context: ActorContext<RestoreJob>): Promise<Backup> {
  const { client, object, signal } = context;
  const { backupName = '' } = object.spec;
  const backup = await client.of(Backup).find({ name: backupName }, { signal });
  if (backup) return backup;
  const message = `there is no Backup ${backupName}`;
  await say(context, RestoreJob, {}, { status: 'False', reason: 'BackupNotFound', message });
  throw new Resync(message, lookAgain);
}

/** A cluster that waits for the end has to see it: later it would take what is gone for lost. */
async function keptFor({ client, object, signal }: ActorContext<RestoreJob>): Promise<string | undefined> {
  const owner = controllerOf(object);
  if (owner?.kind !== MatrixOneCluster.kind) return undefined;
  const { namespace = '' } = object.metadata;
  const cluster = await client.of(MatrixOneCluster).find({ namespace, name: owner.name }, { signal });
  if (cluster?.metadata.uid !== owner.uid || cluster.metadata.deletionTimestamp) return undefined;
  const { restore } = cluster.status ?? {};
  const waits = restore?.phase === 'Running' && restore.jobUID === object.metadata.uid;
  return waits ? `MatrixOneCluster ${owner.name} has not seen its end yet` : undefined;
}
