import { Job, Pod } from '@coxswain/k8s';
import { removeFinalizer } from '@coxswain/runtime/apply';
import { controllerOf, type ReconcileContext, type Reconciler, type Result } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { claimPods, controlledPods, deletePod, podFromTemplate } from '../workload/pods.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { decidedEnd, endOf, type JobEnd } from './end.ts';
import { failureAnnotations, hasIndexLimit } from './failed-indexes.ts';
import { countable, countPods, type Ending, isTracked, type JobCounts, missing, trackingFinalizer } from './plan.ts';
import { indexAnnotation } from './pod-index.ts';
import { isOver, jobStatus } from './status.ts';

/** Label of a job's pods. */
const jobName = 'batch.kubernetes.io/job-name';

function finishedAt(job: Job): number | undefined {
  const condition = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return condition && Date.parse(condition.lastTransitionTime ?? '');
}

async function untrack({ client }: ReconcileContext, pods: Iterable<Pod>): Promise<void> {
  for (const pod of pods)
    if (isTracked(pod)) await removeFinalizer(client, Pod, pod, trackingFinalizer).catch(ignoreRace);
}

/**
 * Runs pods until enough have succeeded or too many have failed. A pod that has ended is counted in three steps, so that none is
 * missed or counted twice wherever a pass is cut: into the status as uncounted, its finalizer off, from uncounted to counted.
 */
export class JobReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const job = cache.store(Job).get(key);
    if (!job || job.metadata.deletionTimestamp) return this.#release(context);
    const { selector, managedBy } = job.spec ?? {};
    if (!selector || (managedBy && managedBy !== 'kubernetes.io/job-controller')) return undefined;
    if (finishedAt(job) !== undefined) return this.#collect(context, job);
    const pods = await claimPods(context, { kind: Job, object: job, selector });
    const counts = countPods(job, pods);
    const end = endOf(job, counts, pods, clock.now());
    const decided = decidedEnd(job) !== undefined;
    if (end && !decided && counts.active.length > 0) {
      // Said before pods go: how these end is nothing to the job then, wherever a pass is cut.
      const now = formatTime(clock.now());
      await writeStatus(context, Job, job, jobStatus(job, end, counts, now, true), { mustWrite: true });
      return { requeueAfter: 0 };
    }
    const wait = await this.#manage(context, job, counts, pods, end);
    const going = pods.filter((pod) => pod.metadata.deletionTimestamp || counts.active.includes(pod));
    const removed = new Set(decided ? going.map(({ metadata }) => metadata.uid ?? '') : []);
    const over = await this.#report(context, job, { end, removed }, pods);
    // its time to live begins
    return over ? { requeueAfter: 0 } : wait;
  }

  /** Pods of a job that is gone or going need not be counted. */
  async #release(context: ReconcileContext): Promise<undefined> {
    const { namespace = '', name } = context.key;
    const pods = context.cache.store(Pod).list({ namespace, labels: { [jobName]: name } });
    await untrack(
      context,
      [...pods].filter((pod) => controllerOf(pod)?.kind === Job.kind),
    );
    return undefined;
  }

  /** Deletes a finished job when its time to live has passed. */
  async #collect(context: ReconcileContext, job: Job): Promise<Result> {
    await untrack(context, controlledPods(context, job));
    const ttl = job.spec?.ttlSecondsAfterFinished;
    if (ttl === undefined) return undefined;
    const left = (finishedAt(job) ?? 0) + ttl * 1000 - context.clock.now();
    if (left > 0) return { requeueAfter: left };
    const { uid } = job.metadata;
    const preconditions = uid ? { preconditions: { uid } } : {};
    await context.client
      .of(Job)
      .delete(context.key, { propagation: 'Foreground', ...preconditions })
      .catch(ignoreRace);
    return undefined;
  }

  /** Brings the number of pods to what it should be. */
  async #manage(
    context: ReconcileContext,
    job: Job,
    counts: JobCounts,
    pods: readonly Pod[],
    end: JobEnd,
  ): Promise<Result> {
    if (end) return this.#delete(context, job, counts.active);
    if (job.spec?.suspend) return this.#takeBack(context, job, counts.active);
    return this.#fill(context, job, counts, pods);
  }

  /** Pods that a job which goes on takes back do not count as failed. */
  async #takeBack(context: ReconcileContext, job: Job, pods: readonly Pod[]): Promise<undefined> {
    for (const pod of pods) {
      await untrack(context, [pod]);
      await this.#delete(context, job, [pod]);
    }
    return undefined;
  }

  async #delete(context: ReconcileContext, job: Job, pods: readonly Pod[]): Promise<undefined> {
    for (const pod of pods) {
      await deletePod(context.client, pod);
      this.#recorder.event(Job, job, { reason: 'SuccessfulDelete', message: `Deleted pod: ${pod.metadata.name}` });
    }
    return undefined;
  }

  async #fill(context: ReconcileContext, job: Job, counts: JobCounts, pods: readonly Pod[]): Promise<Result> {
    const now = context.clock.now();
    const excess = counts.active.length - (job.spec?.parallelism ?? 1);
    await this.#takeBack(context, job, counts.active.slice(0, Math.max(0, excess)));
    const { count, indexes, wait } = missing(job, counts, pods, now);
    const deadline = this.#untilDeadline(job, now);
    for (let i = 0; i < count; i++) await this.#create(context, job, indexes[i], counts);
    return wait === undefined ? deadline : { requeueAfter: Math.min(wait, deadline?.requeueAfter ?? wait) };
  }

  #untilDeadline(job: Job, now: number): { requeueAfter: number } | undefined {
    const seconds = job.spec?.activeDeadlineSeconds;
    if (seconds === undefined) return undefined;
    const start = job.status?.startTime ? Date.parse(job.status.startTime) : now;
    return { requeueAfter: Math.max(1, start + seconds * 1000 - now) };
  }

  async #create({ client }: ReconcileContext, job: Job, index: number | undefined, counts: JobCounts): Promise<void> {
    const { name } = job.metadata;
    const more =
      index !== undefined && hasIndexLimit(job) ? failureAnnotations(job, counts.waiting.get(index)) : undefined;
    const pod = podFromTemplate(
      { kind: Job, object: job, selector: job.spec?.selector ?? {} },
      job.spec?.template ?? {},
      { generateName: index === undefined ? `${name}-` : `${name}-${index}-` },
    );
    const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
    const plain: Pod = { ...pod, metadata: { ...pod.metadata, finalizers } };
    const created = await client.of(Pod).create(index === undefined ? plain : withIndex(plain, name, index, more));
    this.#recorder.event(Job, job, { reason: 'SuccessfulCreate', message: `Created pod: ${created.metadata.name}` });
  }

  /** Counts and writes the status; answers whether the job is over. */
  async #report(context: ReconcileContext, job: Job, ending: Ending, pods: readonly Pod[]): Promise<boolean> {
    const { end } = ending;
    const now = formatTime(context.clock.now());
    const own = controlledPods(context, job);
    const counts = countPods(job, own, ending);
    const seen = new Set(pods.map(({ metadata }) => metadata.uid));
    // What has come meanwhile is for another pass.
    const ended = countable(job, own, counts, end).filter(({ metadata }) => seen.has(metadata.uid));
    if (ended.length > 0) {
      await writeStatus(context, Job, job, jobStatus(job, end, counts, now, true), { mustWrite: true });
      this.#announceSuspension(job);
      await untrack(context, ended);
      // Whoever changed a pod meanwhile brings another pass: counted now, it would be counted again then.
      if (countable(job, controlledPods(context, job), counts, end).length > 0) return false;
    }
    const fresh = context.cache.store(Job).get(context.key) ?? job;
    await writeStatus(context, Job, fresh, jobStatus(job, end, counts, now, false), { mustWrite: true });
    if (ended.length === 0) this.#announceSuspension(job);
    if (!end || !isOver(end, counts)) return false;
    const type = end.type === 'Complete' ? 'Normal' : 'Warning';
    const reason = end.type === 'Complete' ? 'Completed' : end.reason;
    this.#recorder.event(Job, job, { type, reason, message: end.type === 'Complete' ? 'Job completed' : end.message });
    return true;
  }

  /** Says that a job was suspended or resumed; to be called when the status that says so has been written. */
  #announceSuspension({ spec, status, ...job }: Job): void {
    const before = status?.conditions?.some((one) => one.type === 'Suspended' && one.status === 'True') ?? false;
    const suspended = spec?.suspend ?? false;
    if (before === suspended) return;
    const event = suspended
      ? { reason: 'Suspended', message: 'Job suspended' }
      : { reason: 'Resumed', message: 'Job resumed' };
    this.#recorder.event(Job, job, event);
  }
}

/** A pod of an indexed job knows its index by label, annotation, host name and environment. */
function withIndex(pod: Pod, job: string, index: number, more: Readonly<Record<string, string>> = {}): Pod {
  const mark = { [indexAnnotation]: String(index) };
  const fieldPath = `metadata.labels['${indexAnnotation}']`;
  const env = { name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef: { fieldPath } } };
  const { labels, annotations } = pod.metadata;
  const containers = (pod.spec?.containers ?? []).map((one) => ({ ...one, env: [...(one.env ?? []), env] }));
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...labels, ...mark }, annotations: { ...annotations, ...mark, ...more } },
    spec: { ...pod.spec, containers, hostname: `${job}-${index}` },
  };
}
