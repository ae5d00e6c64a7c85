import type { Job, Pod } from '@coxswain/k8s';
import type { JobEnd } from './end.ts';
import { failsIndex, hasIndexLimit, lastFailures, retryTime } from './failed-indexes.ts';
import { judgeFailure, waitsForEnd } from './failure-policy.ts';
import { finishedTime } from './finished-time.ts';
import { indexOf } from './pod-index.ts';
import { parseRanges } from './ranges.ts';

/** Finalizer of a job's pods: they stay until they have been counted. */
export const trackingFinalizer = 'batch.kubernetes.io/job-tracking';

/** Milliseconds a job waits after its n-th failed pod before it makes another: 10 s doubling to 10 min. */
export function backoffDelay(failures: number): number {
  return failures === 0 ? 0 : Math.min(600_000, 10_000 * 2 ** (failures - 1));
}

export function isTracked(pod: Pod): boolean {
  return pod.metadata.finalizers?.includes(trackingFinalizer) ?? false;
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
  /** Those that run on and are being deleted. */
  readonly terminating: readonly Pod[];
  readonly succeeded: number;
  /** As the status is to say it once they are counted. */
  readonly failed: number;
  /** The same with those that are counted when they have been replaced. */
  readonly failures: number;
  /** Of an indexed job. */
  readonly completed: ReadonlySet<number>;
  /** Of an indexed job whose indexes have a limit each. */
  readonly failedIndexes?: ReadonlySet<number>;
  /** Failed pods that wait for the one that takes their place, by their index. */
  readonly waiting: ReadonlyMap<number, Pod>;
  /** Ended pods that the status does not count yet, by uid. */
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** Pods of indexes that the job does not have are none of its. */
const counts = ({ spec }: Job, pod: Pod) =>
  spec?.completionMode !== 'Indexed' || (indexOf(pod) ?? Number.POSITIVE_INFINITY) < (spec.completions ?? 0);

/** That a job is over, and the pods that it has removed for it, by uid. */
export interface Ending {
  readonly end: JobEnd;
  readonly removed: ReadonlySet<string>;
}

/** A job that goes on. */
const goingOn: Ending = { end: undefined, removed: new Set() };

/**
 * Adds the pods that have ended to what the job's status has counted. A pod is counted once: its finalizer goes when it has been. Pods that a
 * failed job has had removed have failed, but not their indexes; those of one that is complete are nothing to count.
 */
export function countPods(job: Job, pods: readonly Pod[], { end, removed } = goingOn): JobCounts {
  const { spec, status } = job;
  const indexed = spec?.completionMode === 'Indexed';
  const succeeded = new Set(status?.uncountedTerminatedPods?.succeeded ?? []);
  const failed = new Set(status?.uncountedTerminatedPods?.failed ?? []);
  const running = pods.filter(({ status: pod }) => pod?.phase !== 'Succeeded' && pod?.phase !== 'Failed');
  const active = running.filter(({ metadata }) => !metadata.deletionTimestamp);
  const tracked = pods.filter((pod) => isTracked(pod) && counts(job, pod));
  // How it ends once it is removed says nothing of its work.
  const endsBy = (pod: Pod) => (removed.has(pod.metadata.uid ?? '') ? undefined : endOfPod(job, pod));
  const good = tracked.filter((pod) => endsBy(pod) === 'succeeded');
  const bad = tracked.filter((pod) => endsBy(pod) === 'failed');
  const completed = new Set(parseRanges(status?.completedIndexes ?? ''));
  for (const pod of good)
    if (indexed) completed.add(indexOf(pod) ?? 0);
    else succeeded.add(pod.metadata.uid ?? '');
  const limited = hasIndexLimit(job);
  const failedIndexes = new Set(limited ? parseRanges(status?.failedIndexes ?? '') : []);
  if (limited) for (const pod of bad) if (failsIndex(job, pod)) failedIndexes.add(indexOf(pod) ?? 0);
  const settled = new Set([...completed, ...failedIndexes, ...active.map(indexOf)]);
  const waiting = limited && !end ? lastFailures(bad, settled) : new Map<number, Pod>();
  const late = new Set(waiting.values());
  const lost = end?.type === 'Failed' ? tracked.filter((pod) => endsBy(pod) !== 'succeeded') : bad;
  const counted = lost.filter((pod) => judgeFailure(job, pod)?.action !== 'Ignore');
  const before = status?.failed ?? 0;
  const all = new Set([...failed, ...counted.map(({ metadata }) => metadata.uid ?? '')]);
  for (const pod of counted) if (!late.has(pod)) failed.add(pod.metadata.uid ?? '');
  return {
    active,
    terminating: running.filter(({ metadata }) => metadata.deletionTimestamp),
    succeeded: indexed ? completed.size : (status?.succeeded ?? 0) + succeeded.size,
    failed: before + failed.size,
    failures: before + all.size,
    completed,
    ...(limited ? { failedIndexes } : {}),
    waiting,
    uncounted: { succeeded: [...succeeded], failed: [...failed] },
  };
}

/** Pods that are to be counted, or are nothing to count, and so may lose their finalizer. */
export function countable(job: Job, pods: readonly Pod[], { waiting }: JobCounts, end: JobEnd): Pod[] {
  const late = new Set(waiting.values());
  return pods.filter((pod) => isTracked(pod) && !late.has(pod) && (end || endOfPod(job, pod) !== undefined));
}

/** How many more pods a job should have now, for an indexed one the indexes they are for; and when to look again, in milliseconds. */
export interface Missing {
  readonly count: number;
  readonly indexes: readonly number[];
  readonly wait?: number;
}

/** The pods that a job which goes on lacks, and may have now: it waits after failures, an index with a limit of its own for its own. */
export function missing(job: Job, counts: JobCounts, pods: readonly Pod[], now: number): Missing {
  const wanted = wantedNow(job, counts);
  if (wanted.count === 0) return wanted;
  if (!hasIndexLimit(job)) {
    const ends = pods.filter(({ status }) => status?.phase === 'Failed').map(finishedTime);
    const wait = counts.failures > 0 ? Math.max(0, ...ends) + backoffDelay(counts.failures) - now : 0;
    return wait > 0 ? { count: 0, indexes: [], wait } : wanted;
  }
  const waitOf = (index: number) => {
    const last = counts.waiting.get(index);
    return last ? retryTime(last, backoffDelay) - now : 0;
  };
  const indexes = wanted.indexes.filter((index) => waitOf(index) <= 0);
  const waits = wanted.indexes.map(waitOf).filter((wait) => wait > 0);
  return { count: indexes.length, indexes, ...(waits.length > 0 ? { wait: Math.min(...waits) } : {}) };
}

function wantedNow(job: Job, counts: JobCounts): Missing {
  const { spec } = job;
  if (spec?.suspend) return { count: 0, indexes: [] };
  const awaited = waitsForEnd(job) ? counts.terminating : [];
  const parallelism = Math.max(0, (spec?.parallelism ?? 1) - awaited.length);
  if (spec?.completionMode === 'Indexed') {
    const busy = [...counts.active, ...awaited].map(indexOf);
    const taken = new Set([...busy, ...counts.completed, ...(counts.failedIndexes ?? [])]);
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
