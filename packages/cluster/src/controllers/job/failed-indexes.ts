import type { Job, Pod } from '@coxswain/k8s';
import { judgeFailure } from './failure-policy.ts';
import { finishedTime } from './finished-time.ts';
import { indexOf } from './pod-index.ts';

/** Annotations of a pod: how often pods of its index had failed before it, and how many more failures were ignored. */
const failureCount = 'batch.kubernetes.io/job-index-failure-count';
const ignoredFailureCount = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** Whether each index of a job has a limit of failures of its own. */
export function hasIndexLimit({ spec }: Job): boolean {
  return spec?.completionMode === 'Indexed' && spec.backoffLimitPerIndex !== undefined;
}

/** What an annotation says; 0 when it is not there, or nobody can have written it. */
function countAt({ metadata }: Pod, annotation: string): number {
  const count = Number(metadata.annotations?.[annotation] ?? 0);
  return Number.isInteger(count) && count >= 0 && count < 2 ** 31 ? count : 0;
}

/** All failures of the index before this pod. */
const failuresBefore = (pod: Pod) => countAt(pod, failureCount) + countAt(pod, ignoredFailureCount);

/** Whether a failed pod is the last one that its index may have. */
export function failsIndex(job: Job, pod: Pod): boolean {
  const action = judgeFailure(job, pod)?.action;
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && countAt(pod, failureCount) >= (job.spec?.backoffLimitPerIndex ?? 0);
}

/** The annotations of a pod that takes the place of a failed one of its index, or is the first. */
export function failureAnnotations(job: Job, replaced: Pod | undefined): Readonly<Record<string, string>> {
  if (!replaced) return { [failureCount]: '0' };
  const ignored = judgeFailure(job, replaced)?.action === 'Ignore';
  const counted = countAt(replaced, failureCount) + (ignored ? 0 : 1);
  const uncounted = countAt(replaced, ignoredFailureCount) + (ignored ? 1 : 0);
  return {
    [failureCount]: String(counted),
    ...(uncounted > 0 ? { [ignoredFailureCount]: String(uncounted) } : {}),
  };
}

/**
 * The last failed pod of each index that is to have another one. It keeps its finalizer until that is there, which takes over what it knows of
 * failures.
 * @param failed pods that have failed and are not counted
 * @param settled indexes that have succeeded, have failed, or have a pod that runs
 */
export function lastFailures(
  failed: Iterable<Pod>,
  settled: ReadonlySet<number | undefined>,
): ReadonlyMap<number, Pod> {
  const last = new Map<number, Pod>();
  for (const pod of failed) {
    const index = indexOf(pod);
    if (index === undefined || settled.has(index)) continue;
    const before = last.get(index);
    const later =
      !before || (failuresBefore(before) <= failuresBefore(pod) && finishedTime(before) <= finishedTime(pod));
    if (later) last.set(index, pod);
  }
  return last;
}

/** Milliseconds since the epoch from when on an index may have another pod after this one has failed. */
export function retryTime(pod: Pod, delay: (failures: number) => number): number {
  return finishedTime(pod) + delay(failuresBefore(pod) + 1);
}
