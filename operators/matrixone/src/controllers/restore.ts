import { type Action, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerReference } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import {
  ANNOTATION_HELD,
  ANNOTATION_RESTORE_COMPLETE,
  Backup,
  LogSet,
  MatrixOneCluster,
  RestoreJob,
  restoreJobName,
} from '../api/index.ts';
import { refuse } from './refuse.ts';

type Context = ActorContext<MatrixOneCluster>;
type Restore = NonNullable<NonNullable<MatrixOneCluster['status']>['restore']>;

/** Milliseconds between looks at a restore that runs, and at a Backup that is not there. */
const lookAgain = 15_000;
const RESTORED = 'Restored';
const byHand = `restore the backup by hand and set the annotation ${ANNOTATION_RESTORE_COMPLETE}, or make the cluster anew`;

/**
 * Brings the backup that a cluster starts from into its storage, once and only once. A RestoreJob is made that is held; its UID is written
 * into the cluster's status against the version that was read, and only then it is let go. From there on that RestoreJob alone counts:
 * one that is gone, or another, is a failure for good. That it is done is written before there is a log service, and where there is a log
 * service there is data that must not be written over.
 * @returns the next step; `undefined` when the log service may be made
 * @throws Resync while it runs, and when it failed
 */
export async function restoreStep(context: Context, isOn: boolean): Promise<Action<MatrixOneCluster> | undefined> {
  const { spec, metadata, status } = context.object;
  if (!spec.restoreFrom) return undefined;
  if (metadata.annotations?.[ANNOTATION_RESTORE_COMPLETE]) return restored(context);
  const known = status?.restore;
  if (known?.phase === 'Completed' || (await hasLogSet(context))) return markRestored;
  if (known?.phase === 'Failed') return failed(context, known.message ?? 'the restore failed');
  if (!isOn) return notDone(context, 'backups and restores are off in this operator');
  return known ? follow(context, known) : begin(context, spec.restoreFrom);
}

function restored({ conditions, object }: Context): undefined {
  conditions.set(RESTORED, 'True', 'RestoreComplete', `Backup ${object.spec.restoreFrom} is restored`);
  return undefined;
}

/** Asks the server itself: a store that is behind would cost the data. */
async function hasLogSet(context: Context): Promise<boolean> {
  const { client, object, signal } = context;
  const live = await client.of(LogSet).find(keyOf(object), { signal });
  const owner = live && controllerOf(live);
  if (owner && owner.uid !== object.metadata.uid)
    return notDone(context, `there is a LogSet ${object.metadata.name} that belongs to ${owner.kind} ${owner.name}`);
  return live !== undefined;
}

async function findRestoreJob({ client, object, signal }: Context): Promise<RestoreJob | undefined> {
  const { namespace = '', name } = object.metadata;
  return client.of(RestoreJob).find({ namespace, name: restoreJobName(name) }, { signal });
}

async function begin(context: Context, backup: string): Promise<Action<MatrixOneCluster>> {
  const { client, object, signal } = context;
  const there = await findRestoreJob(context);
  if (there) {
    if (controllerOf(there)?.uid === object.metadata.uid) return choose(there);
    return notDone(context, `there is a RestoreJob ${there.metadata.name} already that belongs to something else`);
  }
  if (object.status?.phase !== undefined)
    return notDone(context, 'the cluster has run before, and of its log service and restore nothing is left');
  if (!(await client.of(Backup).find({ name: backup }, { signal })))
    return wait(context, 'BackupNotFound', `there is no Backup ${backup}`);
  return makeRestoreJob(backup);
}

async function follow(context: Context, { jobUID }: Restore): Promise<Action<MatrixOneCluster>> {
  const job = await findRestoreJob(context);
  const name = restoreJobName(context.object.metadata.name);
  if (job?.metadata.uid !== jobUID)
    return conclude('Failed', `RestoreJob ${name} is gone: how far it came is not known, and it is not run again`);
  const { phase, conditions = [] } = job.status ?? {};
  if (phase === 'Completed') return conclude('Completed');
  if (phase === 'Failed') {
    const why = conditions.find(({ type }) => type === 'Ended')?.message;
    return conclude('Failed', `RestoreJob ${name} failed${why ? `: ${why}` : ''}`);
  }
  if (job.metadata.annotations?.[ANNOTATION_HELD]) return letGo(job);
  return wait(context, 'Restoring', `RestoreJob ${name} is ${phase ?? 'to begin'}`);
}

function wait({ conditions }: Context, reason: string, message: string): never {
  conditions.set(RESTORED, 'False', reason, message);
  conditions.set('Ready', 'False', reason, message);
  throw new Resync(message, lookAgain);
}

function notDone(context: Context, why: string): never {
  const message = `Backup ${context.object.spec.restoreFrom} has not been restored: ${why}; ${byHand}`;
  context.conditions.set(RESTORED, 'False', 'RestoreNotDone', message);
  return refuse(context, 'RestoreNotDone', message);
}

function failed(context: Context, why: string): never {
  const message = `${why}; ${byHand}`;
  context.conditions.set(RESTORED, 'False', 'RestoreFailed', message);
  return refuse(context, 'RestoreFailed', message);
}

function makeRestoreJob(backupName: string): Action<MatrixOneCluster> {
  return {
    name: 'MakeRestoreJob',
    async run({ client, object, signal }) {
      const { namespace = '', name } = object.metadata;
      const metadata = {
        name: restoreJobName(name),
        namespace,
        annotations: { [ANNOTATION_HELD]: 'y' },
        ownerReferences: [controllerReference(MatrixOneCluster, object)],
      };
      const spec = { backupName, target: object.spec.logService.sharedStorage };
      try {
        await client.of(RestoreJob).create({ metadata, spec }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        throw new Resync(`RestoreJob ${metadata.name} has just been made`);
      }
    },
  };
}

/** Writes how it stands, unless the cluster has changed since it was read. Not in the draft, which could be laid over an end. */
async function write(context: Context, restore: Restore): Promise<void> {
  const { client, object, signal } = context;
  const { resourceVersion } = object.metadata;
  const body = { metadata: { resourceVersion }, status: { restore } };
  const written = await client.of(MatrixOneCluster).patchStatus(keyOf(object), merge(body), { signal });
  if (written.status?.restore?.jobUID !== restore.jobUID)
    throw new Error(
      "the CRD of MatrixOneCluster is of another operator and keeps no status.restore; install this operator's",
    );
}

/** The one RestoreJob of this cluster, from now on. */
function choose(job: RestoreJob): Action<MatrixOneCluster> {
  return {
    name: 'ChooseRestoreJob',
    run: (context) => write(context, { jobUID: job.metadata.uid ?? '', phase: 'Running' }),
  };
}

function letGo(job: RestoreJob): Action<MatrixOneCluster> {
  return {
    name: 'LetRestoreJobGo',
    async run({ client, event, signal }) {
      const { resourceVersion, name } = job.metadata;
      const metadata = { resourceVersion, annotations: { [ANNOTATION_HELD]: null } };
      await client.of(RestoreJob).patch(keyOf(job), merge({ metadata }), { signal });
      event({ reason: 'RestoreStarted', message: `RestoreJob ${name} brings back Backup ${job.spec.backupName}` });
    },
  };
}

function conclude(phase: 'Completed' | 'Failed', message?: string): Action<MatrixOneCluster> {
  return {
    name: 'ConcludeRestore',
    async run(context) {
      const { jobUID = '' } = context.object.status?.restore ?? {};
      await write(context, { jobUID, phase, ...(message === undefined ? {} : { message }) });
      const backup = `Backup ${context.object.spec.restoreFrom}`;
      if (message === undefined) context.event({ reason: 'RestoreComplete', message: `${backup} is restored` });
      else context.event({ type: 'Warning', reason: 'RestoreFailed', message });
    },
  };
}

/** For other software, and for operators to come: nothing is restored from now on. */
const markRestored: Action<MatrixOneCluster> = {
  name: 'MarkRestored',
  async run({ client, object, signal }) {
    const { resourceVersion } = object.metadata;
    const metadata = { resourceVersion, annotations: { [ANNOTATION_RESTORE_COMPLETE]: 'True' } };
    await client.of(MatrixOneCluster).patch(keyOf(object), merge({ metadata }), { signal });
  },
};
