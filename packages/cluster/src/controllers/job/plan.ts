import type { Job, Pod } from '@coxswain/k8s';

/** Annotation and label of an indexed job's pods. */
export const indexAnnotation = 'batch.kubernetes.io/job-completion-index';

/** Milliseconds a job waits after its n-th failed pod before it makes another: 10 s doubling to 10 min. */
export function backoffDelay(failures: number): number {
  return failures === 0 ? 0 : Math.min(600_000, 10_000 * 2 ** (failures - 1));
}

export function indexOf(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[indexAnnotation];
  return text === undefined ? undefined : Number(text);
}

/** What a job's pods amount to. */
export interface JobCounts {
  readonly active: readonly Pod[];
  readonly terminating: readonly Pod[];
  readonly succeeded: readonly Pod[];
  readonly failed: readonly Pod[];
}

export function countPods(pods: readonly Pod[]): JobCounts {
  const ended = (phase: string) => pods.filter(({ status }) => status?.phase === phase);
  const running = pods.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
  return {
    active: running.filter(({ metadata }) => !metadata.deletionTimestamp),
    terminating: running.filter(({ metadata }) => metadata.deletionTimestamp),
    succeeded: ended('Succeeded'),
    failed: ended('Failed'),
  };
}

/** Why a job is over, if it is. */
export type JobEnd =
  | { readonly type: 'Complete' | 'Failed'; readonly reason: string; readonly message: string }
  | undefined;

/** Successful completions: pods, or indexes when the job is indexed. */
export function completed(job: Job, { succeeded }: JobCounts): number {
  return job.spec?.completionMode === 'Indexed' ? new Set(succeeded.map(indexOf)).size : succeeded.length;
}

export function endOf(job: Job, counts: JobCounts, now: number): JobEnd {
  const { spec, status } = job;
  const done = completed(job, counts);
  const wanted = spec?.completions;
  const enough = wanted === undefined ? counts.succeeded.length > 0 && counts.active.length === 0 : done >= wanted;
  if (enough)
    return { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };
  const restarts = counts.active
    .flatMap(({ status: pod }) => pod?.containerStatuses ?? [])
    .reduce((sum, { restartCount }) => sum + restartCount, 0);
  const limit = spec?.backoffLimit ?? 6;
  const failures = counts.failed.length + (spec?.template.spec?.restartPolicy === 'OnFailure' ? restarts : 0);
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
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completionMode === 'Indexed') {
    const taken = new Set([...counts.active, ...counts.succeeded].map(indexOf));
    const open = Array.from({ length: spec.completions ?? 0 }, (_, index) => index).filter(
      (index) => !taken.has(index),
    );
    const indexes = open.slice(0, Math.max(0, parallelism - counts.active.length));
    return { count: indexes.length, indexes };
  }
  const left =
    spec?.completions === undefined
      ? counts.succeeded.length > 0
        ? counts.active.length
        : parallelism
      : spec.completions - counts.succeeded.length;
  return { count: Math.max(0, Math.min(parallelism, left) - counts.active.length), indexes: [] };
}
