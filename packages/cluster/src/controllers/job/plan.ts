import type { Job, Pod } from '@coxswain/k8s';
import { judgeFailure, waitsForEnd } from './failure-policy.ts';
import { parseRanges } from './ranges.ts';

/** Annotation and label of an indexed job's pods. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';
/** Finalizer of a job's pods: they stay until they have been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** Milliseconds a job waits after its n-th failed pod before it makes another: 10 s doubling to 10 min. */
export function backoffDelay(failures: number): number {
  return failures === 0 ? 0 : Math.min(600_000, 10_000 * 2 ** (failures - 1));
}

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}

/** How a pod ended, as far as its job is concerned; one that is being deleted has failed, unless the job waits for it. */
export function endOfPod(job: Job, { metadata, status }: Pod): 'succeeded' | 'failed' | undefined {
  if (status?.phase === 'Succeeded') return 'succeeded';
  if (status?.phase === 'Failed') return 'failed';
  return metadata.deletionTimestamp && !waitsForEnd(job) ? 'failed' : undefined;
}

/** What a job's pods amount to, those that are gone included. */
export interface JobCounts {
  readonly active: readonly Pod[];
  readonly terminating: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Of an indexed job. */
  readonly completed: ReadonlySet<number>;
  /** Ended pods that the status does not count yet, by uid. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** Adds the pods that have ended to what the job's status has counted. A pod is counted once: its finalizer goes when it has been. */
export function countPods(job: Job, pods: readonly Pod[]): JobCounts {
  const { status } = job;
  const indexed = job.spec?.completionMode === 'Indexed';
  const completed = new Set(parseRanges(status?.completedIndexes ?? ''));
  const succeeded = new Set(status?.uncountedTerminatedPods?.succeeded ?? []);
  const failed = new Set(status?.uncountedTerminatedPods?.failed ?? []);
  for (const pod of pods) {
    const end = endOfPod(job, pod);
    if (!end || !pod.metadata.finalizers?.includes(trackingFinalizer)) continue;
    const index = indexOf(pod);
    if (end === 'failed') {
      if (judgeFailure(job, pod)?.action !== 'Ignore') failed.add(pod.metadata.uid ?? '');
    } else if (!indexed) succeeded.add(pod.metadata.uid ?? '');
    else if (index !== undefined && index < (job.spec?.completions ?? 0)) completed.add(index);
  }
  const running = pods.filter(({ status: pod }) => pod?.phase !== 'Succeeded' && pod?.phase !== 'Failed');
  return {
    active: running.filter(({ metadata }) => !metadata.deletionTimestamp),
    terminating: running.filter(({ metadata }) => metadata.deletionTimestamp).length,
    succeeded: indexed ? completed.size : (status?.succeeded ?? 0) + succeeded.size,
    failed: (status?.failed ?? 0) + failed.size,
    completed,
    uncounted: { succeeded: [...succeeded], failed: [...failed] },
  };
}

/** Why a job is over, if it is. */
export type JobEnd =
  | { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string }
  | undefined;

/** The end that the job has been set on already; it stays so, whatever becomes of the pods that decided it. */
function decidedEnd({ status }: Job): JobEnd {
  for (const { type, status: holds, reason = '', message = '' } of status?.conditions ?? []) {
    if (holds !== 'True') continue;
    if (type === 'FailureTarget') return { type: 'Failed', reason, message };
    if (type === 'SuccessCriteriaMet') return { type: 'Complete', reason, message };
  }
  return undefined;
}

/** The first pod that fails the whole job. */
function fatalFailure(job: Job, pods: readonly Pod[]): JobEnd {
  for (const pod of pods) {
    const verdict = endOfPod(job, pod) === 'failed' ? judgeFailure(job, pod) : undefined;
    if (verdict?.action === 'FailJob') return { type: 'Failed', reason: 'PodFailurePolicy', message: verdict.message };
  }
  return undefined;
}

export function endOf(job: Job, counts: JobCounts, pods: readonly Pod[], now: number): JobEnd {
  const { spec, status } = job;
  const before = decidedEnd(job) ?? fatalFailure(job, pods);
  if (before) return before;
  const wanted = spec?.completions;
  const enough = wanted === undefined ? counts.succeeded > 0 && counts.active.length === 0 : counts.succeeded >= wanted;
  if (enough)
    return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const restarts = counts.active
    .flatMap(({ status: pod }) => pod?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec?.backoffLimit ?? 6;
  const failures = counts.failed + (spec?.template.spec?.restartPolicy === 'OnFailure' ? restarts : 0);
  if (failures > limit)
    return { type: 'Failed', reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
  const deadline = spec?.activeDeadlineSeconds;
  const started = status?.startTime;
  if (deadline !== undefined && started && !spec?.suspend && now - Date.parse(started) >= deadline * 1000)
    return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
  return undefined;
}

/** How many more pods a job that goes on should have now, and for an indexed one the indexes they are for. */
export function missing(job: Job, counts: JobCounts): { readonly count: number; readonly indexes: readonly number[] } {
  const { spec } = job;
  if (spec?.suspend) return { count: 0, indexes: [] };
  const going = waitsForEnd(job) ? counts.terminating : 0;
  const parallelism = Math.max(0, (spec?.parallelism ?? 1) - going);
  if (spec?.completionMode === 'Indexed') {
    const taken = new Set([...counts.active.map(indexOf), ...counts.completed]);
    const open = Array.from({ length: spec.completions ?? 0 }, (_, index) => index).filter(
      (index) => !taken.has(index),
    );
    const indexes = open.slice(0, Math.max(0, parallelism - counts.active.length));
    return { count: indexes.length, indexes };
  }
  const left =
    spec?.completions === undefined
      ? counts.succeeded > 0
        ? counts.active.length
        : parallelism
      : spec.completions - counts.succeeded;
  return { count: Math.max(0, Math.min(parallelism, left) - counts.active.length), indexes: [] };
}
