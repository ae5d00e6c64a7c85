import { Job, type Kind } from '@coxswain/k8s';
import { type Action, Resync } from '@coxswain/runtime/actor';
import { controllerReference } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_STARTED, type BackupJob, type RestoreJob } from '../api/index.ts';
import { type JobStatus, say } from './say.ts';

// The steps of the life of a BackupJob or RestoreJob, one after the other; `JobActor` says which is next.

export function sayPhase<T extends BackupJob | RestoreJob>(kind: Kind<T>, phase: 'Pending' | 'Running'): Action<T> {
  return {
    name: 'SayPhase',
    async run(context) {
      await say(context, kind, { phase });
    },
  };
}

export function makeJob<T extends BackupJob | RestoreJob>(kind: Kind<T>, job: Job): Action<T> {
  return {
    name: 'MakeJob',
    async run({ client, object, signal }) {
      const ownerReferences = [controllerReference(kind, object)];
      try {
        await client.of(Job).create({ ...job, metadata: { ...job.metadata, ownerReferences } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        throw new Resync(`Job ${job.metadata.name} has just been made`);
      }
    },
  };
}

/** Writes down which Job may run. */
export function choose<T extends BackupJob | RestoreJob>(kind: Kind<T>, job: Job): Action<T> {
  return {
    name: 'ChooseJob',
    async run(context) {
      const { uid: jobUID = '' } = job.metadata;
      const written = await say(context, kind, { phase: 'Running', jobUID });
      if (written.status?.jobUID !== jobUID)
        throw new Error(
          `the CRD of ${kind.kind} is of another operator and keeps no status.jobUID; install this operator's`,
        );
    },
  };
}

/** Lets the Job run, once: a Job that is suspended again later bears the mark. */
export function start<T extends BackupJob | RestoreJob>(kind: Kind<T>, job: Job): Action<T> {
  return {
    name: 'StartJob',
    async run(context) {
      const { client, event, signal } = context;
      const { resourceVersion, name } = job.metadata;
      const metadata = { resourceVersion, annotations: { [ANNOTATION_STARTED]: 'y' } };
      await client.of(Job).patch(keyOf(job), merge({ metadata, spec: { suspend: false } }), { signal });
      event({ reason: 'JobStarted', message: `Job ${name} runs` });
      await say(context, kind, {}, { status: 'False', reason: 'JobRunning' });
    },
  };
}

/** @param accepted what the status tells of its result */
export function complete<T extends BackupJob | RestoreJob>(kind: Kind<T>, accepted: JobStatus): Action<T> {
  return {
    name: 'Complete',
    async run(context) {
      await say(context, kind, { ...accepted, phase: 'Completed' }, { status: 'True', reason: 'JobComplete' });
      const { object, event } = context;
      event({ reason: 'JobComplete', message: `${object.kind} ${object.metadata.name} is done` });
    },
  };
}

export function fail<T extends BackupJob | RestoreJob>(kind: Kind<T>, reason: string, message: string): Action<T> {
  return {
    name: 'Fail',
    async run(context) {
      await say(context, kind, { phase: 'Failed' }, { status: 'True', reason, message });
      context.event({ type: 'Warning', reason, message });
    },
  };
}

export function expire<T extends BackupJob | RestoreJob>(kind: Kind<T>): Action<T> {
  return {
    name: 'Expire',
    async run({ ensureGone, object }) {
      await ensureGone(kind, keyOf(object));
    },
  };
}
