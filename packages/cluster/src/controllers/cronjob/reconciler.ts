import { CronJob, type CronJobStatus, Job, type ObjectReference } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, isAlreadyExists } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace, isTerminatingNamespace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { dueStart } from './due.ts';
import { jobsToForget } from './history.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { type Zone, zonedTime, zoneOf } from './zone.ts';

const scheduledAnnotation = 'batch.kubernetes.io/cronjob-scheduled-timestamp';

/** `Complete` or `Failed`, once a job has come to it. */
export function endOfJob({ status }: Job): 'Complete' | 'Failed' | undefined {
  const end = status?.conditions?.find(
    (one) => (one.type === 'Complete' || one.type === 'Failed') && one.status === 'True',
  );
  return end?.type as 'Complete' | 'Failed' | undefined;
}

/** What is known of a CronJob's own jobs, while a pass goes on. */
interface Known {
  active: ObjectReference[];
  lastSuccess: string | undefined;
  lastSchedule: string | undefined;
}

function referenceTo({ metadata: { namespace, name, uid, resourceVersion } }: Job): ObjectReference {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name,
    ...(namespace ? { namespace } : {}),
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}

/** Starts a job at each time of a schedule. */
export class CronJobReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const cron = context.cache.store(CronJob).get(context.key);
    if (!cron?.spec) return undefined;
    const jobs = [...context.cache.store(Job).by('controller', cron.metadata.uid ?? '')];
    const known: Known = {
      active: [...(cron.status?.active ?? [])],
      lastSuccess: cron.status?.lastSuccessfulTime,
      lastSchedule: cron.status?.lastScheduleTime,
    };
    await this.#takeStock(context, cron, jobs, known);
    await this.#forget(context, cron, jobs);
    const next = cron.metadata.deletionTimestamp ? undefined : await this.#start(context, cron, known);
    await this.#report(context, cron, known);
    return next === undefined ? undefined : { requeueAfter: Math.max(1, next - context.clock.now()) };
  }

  async #takeStock(context: ReconcileContext, cron: CronJob, jobs: readonly Job[], known: Known): Promise<void> {
    for (const job of jobs) {
      const { name, uid } = job.metadata;
      const listed = known.active.some((one) => one.uid === uid);
      const end = endOfJob(job);
      if (!listed && !end)
        this.#tell(cron, 'Warning', 'UnexpectedJob', `Saw a job that the controller did not create or forgot: ${name}`);
      if (end && listed) {
        known.active = known.active.filter((one) => one.uid !== uid);
        this.#tell(cron, 'Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${end}`);
      }
      const done = end === 'Complete' ? job.status?.completionTime : undefined;
      if (done && (!known.lastSuccess || Date.parse(done) > Date.parse(known.lastSuccess))) known.lastSuccess = done;
    }
    for (const one of known.active) {
      if (jobs.some(({ metadata }) => metadata.uid === one.uid)) continue;
      const found = await context.client
        .of(Job)
        .find({ namespace: cron.metadata.namespace ?? '', name: one.name ?? '' });
      if (found?.metadata.uid === one.uid) continue;
      known.active = known.active.filter((other) => other !== one);
      this.#tell(cron, 'Normal', 'MissingJob', `Active job went missing: ${one.name}`);
    }
  }

  /** Starts what is due. Answers when to look again, in milliseconds since the epoch. */
  async #start(context: ReconcileContext, cron: CronJob, known: Known): Promise<number | undefined> {
    const read = this.#schedule(cron);
    if (!read || cron.spec?.suspend) return undefined;
    const now = context.clock.now();
    const { last, tooMany, next } = dueStart(cron, read.schedule, now);
    if (tooMany) {
      const what = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew';
      this.#tell(cron, 'Warning', 'TooManyMissedTimes', what);
    }
    if (last === undefined || known.lastSchedule === formatTime(last)) return next;
    const deadline = cron.spec?.startingDeadlineSeconds;
    if (deadline !== undefined && last + deadline * 1000 < now) {
      const when = new Date(last).toUTCString();
      this.#tell(
        cron,
        'Warning',
        'MissSchedule',
        `Missed scheduled time to start a job: ${when.replace('GMT', 'UTC')}`,
      );
      return next;
    }
    if (!(await this.#makeRoom(context, cron, known))) return next;
    await this.#create(context, cron, last, read.zone, known);
    return next;
  }

  #schedule(cron: CronJob): { readonly schedule: Schedule; readonly zone: Zone } | undefined {
    const { schedule = '', timeZone } = cron.spec ?? {};
    let zone: Zone;
    try {
      zone = zoneOf(timeZone);
    } catch {
      const name = JSON.stringify(timeZone);
      this.#tell(cron, 'Warning', 'UnknownTimeZone', `invalid timeZone: ${name}: unknown time zone ${timeZone}`);
      return undefined;
    }
    try {
      return { schedule: parseSchedule(schedule, zone), zone };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#tell(cron, 'Warning', 'UnparseableSchedule', `unparseable schedule: ${JSON.stringify(schedule)} : ${why}`);
      return undefined;
    }
  }

  /** What runs still may forbid a start, or has to go for it. */
  async #makeRoom(context: ReconcileContext, cron: CronJob, known: Known): Promise<boolean> {
    const policy = cron.spec?.concurrencyPolicy ?? 'Allow';
    if (known.active.length === 0 || policy === 'Allow') return true;
    if (policy === 'Forbid') {
      const why = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#tell(cron, 'Normal', 'JobAlreadyActive', why);
      return false;
    }
    for (const { name = '', uid } of known.active) await this.#delete(context, cron, name, uid);
    known.active = [];
    return true;
  }

  async #create(context: ReconcileContext, cron: CronJob, at: number, zone: Zone, known: Known): Promise<void> {
    const { metadata, spec } = cron.spec?.jobTemplate ?? {};
    // The name follows from the time: a start that is tried twice is one.
    const name = `${cron.metadata.name}-${Math.floor(at / 60_000)}`;
    const namespace = cron.metadata.namespace ?? '';
    const wanted: Job = {
      metadata: {
        name,
        namespace,
        ...(metadata?.labels ? { labels: metadata.labels } : {}),
        annotations: { ...metadata?.annotations, [scheduledAnnotation]: zonedTime(at, zone) },
        ownerReferences: [controllerReference(CronJob, cron)],
      },
      ...(spec ? { spec } : {}),
    };
    try {
      const job = await context.client.of(Job).create(wanted);
      this.#tell(cron, 'Normal', 'SuccessfulCreate', `Created job ${name}`);
      known.active.push(referenceTo(job));
    } catch (error) {
      if (isTerminatingNamespace(error)) return;
      const there = isAlreadyExists(error) ? await context.client.of(Job).find({ namespace, name }) : undefined;
      const ours = there?.metadata.ownerReferences?.some(({ uid }) => uid === cron.metadata.uid);
      if (!there || !ours) {
        const why = error instanceof Error ? error.message : String(error);
        this.#tell(cron, 'Warning', 'FailedCreate', `Error creating job: ${why}`);
        throw error;
      }
      if (!endOfJob(there)) known.active.push(referenceTo(there));
    }
    known.lastSchedule = formatTime(at);
  }

  /** Jobs that have ended are kept for a while, the failed ones apart. */
  async #forget(context: ReconcileContext, cron: CronJob, jobs: readonly Job[]): Promise<void> {
    if (cron.metadata.deletionTimestamp) return;
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cron.spec ?? {};
    const old = [
      ...jobsToForget(
        jobs.filter((job) => endOfJob(job) === 'Complete'),
        successfulJobsHistoryLimit ?? 3,
      ),
      ...jobsToForget(
        jobs.filter((job) => endOfJob(job) === 'Failed'),
        failedJobsHistoryLimit ?? 1,
      ),
    ];
    for (const { metadata } of old) await this.#delete(context, cron, metadata.name, metadata.uid);
  }

  async #delete({ client }: ReconcileContext, cron: CronJob, name: string, uid: string | undefined): Promise<void> {
    const key = { namespace: cron.metadata.namespace ?? '', name };
    const options = { propagation: 'Background', ...(uid ? { preconditions: { uid } } : {}) } as const;
    await client.of(Job).delete(key, options).catch(ignoreRace);
    this.#tell(cron, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  }

  async #report(context: ReconcileContext, cron: CronJob, known: Known): Promise<void> {
    const { active, lastSchedule, lastSuccess } = known;
    const status: CronJobStatus = {
      ...(active.length > 0 ? { active } : {}),
      ...(lastSchedule ? { lastScheduleTime: lastSchedule } : {}),
      ...(lastSuccess ? { lastSuccessfulTime: lastSuccess } : {}),
    };
    await writeStatus(context, CronJob, cron, status);
  }

  #tell(cron: CronJob, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(CronJob, cron, { type, reason, message });
  }
}
