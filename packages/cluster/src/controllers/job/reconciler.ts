import { Job, type JobCondition, type JobStatus, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { deepEqual, formatTime, isConflict, isNotFound } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { claimPods, deletePod, isPodReady, podFromTemplate } from '../workload/pods.ts';
import {
  backoffDelay,
  completed,
  countPods,
  endOf,
  indexAnnotation,
  type JobCounts,
  type JobEnd,
  missing,
} from './plan.ts';

function finishedAt(job: Job): number | undefined {
  const condition = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return condition && Date.parse(condition.lastTransitionTime ?? '');
}

function lastFailure({ failed }: JobCounts): number {
  const ends = failed.flatMap(({ status }) =>
    (status?.containerStatuses ?? []).map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? '') || 0),
  );
  return Math.max(0, ...ends);
}

function ranges(indexes: readonly number[]): string {
  const sorted = [...new Set(indexes)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    let end = i;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    parts.push(
      end === i ? `${sorted[i]}` : end === i + 1 ? `${sorted[i]},${sorted[end]}` : `${sorted[i]}-${sorted[end]}`,
    );
    i = end + 1;
  }
  return parts.join(',');
}

/** Runs pods until enough have succeeded or too many have failed. */
export class JobReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const job = cache.store(Job).get(key);
    if (
      !job?.spec?.selector ||
      job.metadata.deletionTimestamp ||
      (job.spec.managedBy && job.spec.managedBy !== 'kubernetes.io/job-controller')
    )
      return undefined;
    if (finishedAt(job) !== undefined) return this.#collect(context, job);
    const pods = await claimPods(context, { kind: Job, object: job, selector: job.spec.selector });
    const counts = countPods(pods);
    const end = endOf(job, counts, clock.now());
    const wait = end || job.spec.suspend ? await this.#stop(context, counts) : await this.#fill(context, job, counts);
    await this.#report(context, job, end);
    return end ? undefined : wait;
  }

  /** Deletes a finished job when its time to live has passed. */
  async #collect({ client, clock, key }: ReconcileContext, job: Job): Promise<Result> {
    const ttl = job.spec?.ttlSecondsAfterFinished;
    if (ttl === undefined) return undefined;
    const left = (finishedAt(job) ?? 0) + ttl * 1000 - clock.now();
    if (left > 0) return { requeueAfter: left };
    const { uid } = job.metadata;
    await client
      .of(Job)
      .delete(key, { propagation: 'Foreground', ...(uid ? { preconditions: { uid } } : {}) })
      .catch(ignoreGone);
    return undefined;
  }

  async #stop({ client }: ReconcileContext, { active }: JobCounts): Promise<Result> {
    for (const pod of active) await deletePod(client, pod);
    return undefined;
  }

  async #fill(context: ReconcileContext, job: Job, counts: JobCounts): Promise<Result> {
    const { client, clock } = context;
    const excess = counts.active.length - (job.spec?.parallelism ?? 1);
    for (const pod of counts.active.slice(0, Math.max(0, excess))) await deletePod(client, pod);
    const { count, indexes } = missing(job, counts);
    const deadline = this.#untilDeadline(job, clock.now());
    if (count === 0) return deadline;
    const delay = lastFailure(counts) + backoffDelay(counts.failed.length) - clock.now();
    if (counts.failed.length > 0 && delay > 0)
      return { requeueAfter: Math.min(delay, deadline?.requeueAfter ?? delay) };
    for (let i = 0; i < count; i++) await this.#create(context, job, indexes[i]);
    return deadline;
  }

  #untilDeadline(job: Job, now: number): { requeueAfter: number } | undefined {
    const seconds = job.spec?.activeDeadlineSeconds;
    if (seconds === undefined) return undefined;
    const start = job.status?.startTime ? Date.parse(job.status.startTime) : now;
    return { requeueAfter: Math.max(1, start + seconds * 1000 - now) };
  }

  async #create({ client }: ReconcileContext, job: Job, index: number | undefined): Promise<void> {
    const name = index === undefined ? `${job.metadata.name}-` : `${job.metadata.name}-${index}-`;
    const pod = podFromTemplate(
      { kind: Job, object: job, selector: job.spec?.selector ?? {} },
      job.spec?.template ?? {},
      { generateName: name },
    );
    const marks: Record<string, string> = index === undefined ? {} : { [indexAnnotation]: String(index) };
    const { labels, annotations } = pod.metadata;
    const created = await client.of(Pod).create({
      ...pod,
      metadata: { ...pod.metadata, labels: { ...labels, ...marks }, annotations: { ...annotations, ...marks } },
    });
    this.#recorder.event(Job, job, { reason: 'SuccessfulCreate', message: `Created pod: ${created.metadata.name}` });
  }

  async #report(context: ReconcileContext, job: Job, end: JobEnd): Promise<void> {
    const { cache, client, clock, key } = context;
    const counts = countPods([...cache.store(Pod).by('owner', job.metadata.uid ?? '')]);
    const now = formatTime(clock.now());
    const status: JobStatus = {
      ...(job.status?.startTime || !job.spec?.suspend ? { startTime: job.status?.startTime ?? now } : {}),
      active: counts.active.length,
      ready: counts.active.filter(isPodReady).length,
      terminating: counts.terminating.length,
      succeeded: completed(job, counts),
      failed: counts.failed.length,
      uncountedTerminatedPods: {},
      ...(job.spec?.completionMode === 'Indexed'
        ? {
            completedIndexes: ranges(
              counts.succeeded.map((pod) => Number(pod.metadata.annotations?.[indexAnnotation])),
            ),
          }
        : {}),
      ...this.#conditions(job, end, now),
      ...(end?.type === 'Complete' ? { completionTime: now } : {}),
    };
    if (deepEqual(status, job.status)) return;
    await client
      .of(Job)
      .patch(key, merge({ metadata: { uid: job.metadata.uid }, status }), { subresource: 'status' })
      .catch(ignoreGone);
    if (end)
      this.#recorder.event(Job, job, {
        type: end.type === 'Complete' ? 'Normal' : 'Warning',
        reason: end.type === 'Complete' ? 'Completed' : end.reason,
        message: end.type === 'Complete' ? 'Job completed' : end.message,
      });
  }

  #conditions(job: Job, end: JobEnd, now: string): { conditions?: readonly JobCondition[] } {
    const before = job.status?.conditions ?? [];
    const set = (
      list: readonly JobCondition[],
      condition: Pick<JobCondition, 'type' | 'status' | 'reason' | 'message'>,
    ): readonly JobCondition[] => {
      const old = list.find(({ type }) => type === condition.type);
      if (old?.status === condition.status) return list;
      return [
        ...list.filter(({ type }) => type !== condition.type),
        { ...condition, lastProbeTime: now, lastTransitionTime: now },
      ];
    };
    let list = before;
    if (job.spec?.suspend)
      list = set(list, { type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' });
    else if (before.some(({ type }) => type === 'Suspended'))
      list = set(list, { type: 'Suspended', status: 'False', reason: 'JobResumed', message: 'Job resumed' });
    if (end) {
      const target = end.type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
      list = set(list, { type: target, status: 'True', reason: end.reason, message: end.message });
      list = set(list, { type: end.type, status: 'True', reason: end.reason, message: end.message });
    }
    return list.length > 0 ? { conditions: list } : {};
  }
}

function ignoreGone(error: unknown): undefined {
  if (isNotFound(error) || isConflict(error)) return undefined;
  throw error;
}
