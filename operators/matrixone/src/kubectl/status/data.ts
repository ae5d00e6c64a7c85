import type { Backup, BackupJob, BucketClaim, RestoreJob } from '../../api/index.ts';
import { phaseOfClaim } from '../../buckets/index.ts';
import { age } from '../text.ts';
import { type Health, known, notes, type StatusNode } from './node.ts';
import { elapsed } from './pod.ts';

/** Who owns an S3 path, and what becomes of what is there. */
export function claimNode(claim: BucketClaim): StatusNode {
  const { s3 } = claim.spec;
  const state = phaseOfClaim(claim);
  const owner = claim.status?.bindTo;
  // Only what holds its removal up is worth telling.
  const held = claim.status?.conditions?.filter(({ type }) => type === 'recyclable') ?? [];
  const isLeaving = claim.metadata.deletionTimestamp !== undefined;
  const conditions = isLeaving
    ? held.map(({ type, status, reason, message, lastTransitionTime }) => ({
        type,
        status,
        reason,
        message,
        since: lastTransitionTime,
      }))
    : [];
  return {
    kind: 'BucketClaim',
    name: claim.metadata.name,
    health: state === 'InUse' ? 'ok' : state === 'Released' ? 'info' : 'waiting',
    summary: [s3.path, state, ...(owner ? [`owner ${owner}`] : []), ...(isLeaving ? ['is being deleted'] : [])].join(
      ', ',
    ),
    facts: known({ path: s3.path, endpoint: s3.endpoint, state, owner }),
    conditions,
    children: [],
  };
}

const jobHealth: Readonly<Record<string, Health>> = { Completed: 'info', Failed: 'failed' };

/** A backup or a restore. One that has ended counts for nothing but its own line. */
export function jobNode(kind: 'BackupJob' | 'RestoreJob', job: BackupJob | RestoreJob, now: number): StatusNode {
  const phase = job.status?.phase ?? 'Pending';
  const backup = job.kind === 'BackupJob' ? (job as BackupJob).status?.backup : (job as RestoreJob).spec.backupName;
  const made = elapsed(job.metadata.creationTimestamp, now);
  const since = made === undefined ? [] : [`made ${age(made)} ago`];
  return {
    kind,
    name: job.metadata.name,
    health: jobHealth[phase] ?? 'waiting',
    summary: [phase, ...(backup ? [`backup ${backup}`] : []), ...since].join(', '),
    facts: known({ phase, backup }),
    conditions: phase === 'Completed' ? [] : notes(job, job.status?.conditions),
    children: [],
  };
}

/** A backup that lies somewhere. */
export function backupNode({ metadata, meta }: Backup, now: number): StatusNode {
  const ms = elapsed(meta.atTime, now);
  const size = meta.size === undefined ? undefined : String(meta.size);
  return {
    kind: 'Backup',
    name: metadata.name,
    health: 'info',
    summary: [`shows ${ms === undefined ? meta.atTime : `${age(ms)} ago`}`, ...(size ? [size] : [])].join(', '),
    facts: known({ id: meta.id, at: meta.atTime, size }),
    conditions: [],
    children: [],
  };
}
