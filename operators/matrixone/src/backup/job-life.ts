import type { Job } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import { ANNOTATION_STARTED } from '../api/index.ts';

/**
 * What is to be made of the Job of a backup or restore:
 * - `absent`: there is none that is ours.
 * - `taken`: there is one of that name that belongs to something else.
 * - `unknown`: made, never run, and not taken note of.
 * - `ready`: taken note of, to be let run.
 * - `runs`: was let run; its container tells how it goes.
 * - `dead`: will not run to its end, or its container is gone with what it would have told.
 */
export type JobLife =
  | { readonly is: 'absent' }
  | { readonly is: 'taken'; readonly job: Job }
  | { readonly is: 'unknown'; readonly job: Job }
  | { readonly is: 'ready'; readonly job: Job }
  | { readonly is: 'runs'; readonly job: Job }
  | { readonly is: 'dead'; readonly job: Job; readonly why: string };

function endOf({ metadata, spec, status }: Job): string | undefined {
  const failed = status?.conditions?.find(({ type, status: holds }) => type === 'Failed' && holds === 'True');
  const failures = status?.failed ?? 0;
  if (failed || failures > 0) return `Job ${metadata.name} failed: ${failed?.message || `${failures} of its pods did`}`;
  if ((status?.succeeded ?? 0) > 0) return `the pod of Job ${metadata.name} ended before it was asked for the result`;
  const wasStopped = spec?.suspend && metadata.annotations?.[ANNOTATION_STARTED];
  return wasStopped ? `Job ${metadata.name} was suspended while it ran, and would begin anew` : undefined;
}

/**
 * @param owner UID of the BackupJob or RestoreJob
 * @param known UID of the only Job that may run, once it has been chosen
 */
export function jobLife(job: Job | undefined, owner: string | undefined, known: string | undefined): JobLife {
  if (!job) return { is: 'absent' };
  if (controllerOf(job)?.uid !== owner) return known === undefined ? { is: 'taken', job } : { is: 'absent' };
  if (known !== undefined && job.metadata.uid !== known) return { is: 'absent' };
  const why = endOf(job);
  if (why !== undefined) return { is: 'dead', job, why };
  // One that runs was let run by an operator that took no note.
  if (!job.spec?.suspend) return { is: 'runs', job };
  return known === undefined ? { is: 'unknown', job } : { is: 'ready', job };
}
