import type { Job, JobCondition, JobStatus } from '@coxswain/k8s';
import { isPodReady } from '../workload/pods.ts';
import type { JobEnd } from './end.ts';
import type { JobCounts } from './plan.ts';
import { formatRanges } from './ranges.ts';

type Verdict = Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>;

function withVerdict(list: readonly JobCondition[], verdict: Verdict, now: string): readonly JobCondition[] {
  const before = list.find(({ type }) => type === verdict.type);
  if (before?.status === verdict.status) return list;
  const others = list.filter(({ type }) => type !== verdict.type);
  return [...others, { ...verdict, lastProbeTime: now, lastTransitionTime: now }];
}

/** A job is over in two steps: first it says how it will end, then, when its last pod has gone, that it has. */
function conditionsOf(job: Job, end: JobEnd, over: boolean, now: string): readonly JobCondition[] {
  let list = job.status?.conditions ?? [];
  if (job.spec?.suspend)
    list = withVerdict(
      list,
      { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' },
      now,
    );
  else if (list.some(({ type }) => type === 'Suspended'))
    list = withVerdict(list, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' }, now);
  if (!end) return list;
  const { reason, message } = end;
  const target = end.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  list = withVerdict(list, { type: target, status: 'True', reason, message }, now);
  return over ? withVerdict(list, { type: end.type, status: 'True', reason, message }, now) : list;
}

export function isOver(end: JobEnd, { active, terminating }: JobCounts): boolean {
  return end !== undefined && active.length + terminating.length === 0;
}

/** The status with everything counted; `keepUncounted` while the pods' finalizers are still on. */
export function jobStatus(job: Job, end: JobEnd, counts: JobCounts, now: string, keepUncounted: boolean): JobStatus {
  const { spec, status } = job;
  const { uncounted } = counts;
  const indexed = spec?.completionMode === 'Indexed';
  const held = keepUncounted ? uncounted : { succeeded: [], failed: [] };
  const waiting = held.succeeded.length + held.failed.length > 0;
  // A finished job has nothing left to count.
  const over = isOver(end, counts) && !waiting;
  const conditions = conditionsOf(job, end, over, now);
  const started = spec?.suspend ? undefined : (status?.startTime ?? now);
  return {
    ...(started ? { startTime: started } : {}),
    active: counts.active.length,
    ready: counts.active.filter(isPodReady).length,
    terminating: counts.terminating.length,
    succeeded: counts.succeeded - (indexed ? 0 : held.succeeded.length),
    failed: counts.failed - held.failed.length,
    ...(waiting ? { uncountedTerminatedPods: held } : {}),
    ...(indexed ? { completedIndexes: formatRanges(counts.completed) } : {}),
    ...(counts.failedIndexes ? { failedIndexes: formatRanges(counts.failedIndexes) } : {}),
    ...(conditions.length > 0 ? { conditions } : {}),
    ...(end?.type === 'Complete' && over ? { completionTime: now } : {}),
  };
}
