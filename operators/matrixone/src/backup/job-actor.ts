import { Job, type Kind, type KubeObject, Pod, Service, type Writable } from '@coxswain/k8s';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerReference, findCondition } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { controllerOf } from '@coxswain/runtime/controller';
import {
  formatTime,
  isAlreadyExists,
  keyOf,
  maskSecrets,
  messageOf,
  parseTime,
  withTimeout,
} from '@coxswain/runtime/core';
import { ANNOTATION_STARTED, type BackupJob, type JobKind, type Overlay, type RestoreJob } from '../api/index.ts';
import { type JobLife, jobLife } from './job-life.ts';
import { type JobOwner, jobOf, type Program, statusServiceOf } from './job-objects.ts';
import { podState } from './pod-state.ts';
import type { JobReport, JobReports } from './report.ts';
import { ttlOf } from './ttl.ts';

/** Milliseconds between looks at a program that runs, and at what has to be there before it can. */
const pollEvery = 15_000;
/** The same in the first minute of a Job: one with little to do is done soon, and a cluster may wait for it. */
const pollAtFirst = 3_000;
const first = 60_000;
/** Milliseconds that a container has to answer. */
const answerWithin = 10_000;
/** Milliseconds that a program that runs may be without an answer: whoever cannot be asked for so long is not waited for. */
const unreachableFor = 1_800_000;
/** Milliseconds that a pod may take to start, and its program to answer, before anybody is told. */
const usualStart = 60_000;
/** Characters of what a failed program said that are shown. */
const longestQuote = 1_000;

/** The condition that says how it ended. */
export const ENDED = 'Ended';

/** How it ended, for good. An operator that hears late may have put the phase back; its word on the end stands. */
function endOf(object: BackupJob | RestoreJob): 'Completed' | 'Failed' | undefined {
  const phase = object.status?.phase;
  if (phase === 'Completed' || phase === 'Failed') return phase;
  const ended = findCondition(object, ENDED);
  if (ended?.status !== 'True') return undefined;
  return ended.reason === 'JobComplete' ? 'Completed' : 'Failed';
}

type JobStatus = Partial<Writable<NonNullable<BackupJob['status']> & NonNullable<RestoreJob['status']>>>;

/** The condition that says whether its program can be asked, and since when; there only until it has ended. */
const REACHABLE = 'Reachable';

/** What a kind runs, and what comes of it. */
export interface JobTask<T extends BackupJob | RestoreJob> {
  readonly kind: Kind<T>;
  readonly component: JobKind;
  overlayOf(object: T): Overlay | undefined;
  /** What is wrong with the spec: then nothing is ever run for it. */
  problem(object: T): string | undefined;
  /** @throws Resync while what it needs is not there */
  program(context: ActorContext<T>): Promise<Program>;
  /** Takes the result of a program that did what it was to do. Answers why that is none, or nothing. May be repeated. */
  accept(context: ActorContext<T>, report: JobReport, job: Job): Promise<string | undefined>;
  /** Whether the result had been taken before its Job was lost. */
  wasAccepted(context: ActorContext<T>): Promise<boolean>;
  /** Why it may not go yet although its time is over. */
  keptFor(context: ActorContext<T>): Promise<string | undefined>;
  /** Why it may not begin yet. */
  heldFor(object: T): string | undefined;
}

/**
 * The life of a BackupJob or RestoreJob (`spec/matrixone.md` §3.2): Pending → Running → Completed or Failed → gone. Its program runs at
 * most once, wherever an operator dies and however many there are: the Job is made suspended, its UID is written into the status against
 * the version that was read, and only a Job whose UID is there is let run. A Job that is gone, or of another UID, is a failure.
 */
export class JobActor<T extends BackupJob | RestoreJob> implements Actor<T> {
  readonly #task: JobTask<T>;
  readonly #image: string;
  readonly #reports: JobReports;

  constructor(task: JobTask<T>, options: { readonly image: string; readonly reports: JobReports }) {
    this.#task = task;
    this.#image = options.image;
    this.#reports = options.reports;
  }

  async observe(context: ActorContext<T>): Promise<Action<T> | undefined> {
    const { status } = context.object;
    const end = endOf(context.object);
    if (end) return this.#rest(context, end);
    const isChosen = status?.phase === 'Running' || status?.jobUID !== undefined;
    return isChosen ? this.#follow(context) : this.#begin(context);
  }

  async #begin(context: ActorContext<T>): Promise<Action<T> | undefined> {
    const { object } = context;
    statusOf(context).phase = 'Pending';
    const problem = nameProblem(object) ?? ttlOf(object).problem ?? this.#task.problem(object);
    if (problem !== undefined) return fail(context, 'SpecInvalid', problem);
    const held = this.#task.heldFor(object);
    if (held !== undefined) throw new Resync(held, pollEvery);
    const life = await lifeOf(context, undefined);
    if (life.is === 'taken') {
      const owner = controllerOf(life.job);
      const whose = owner ? `${owner.kind} ${owner.name}` : 'nobody here';
      const what = `the name is taken: there is a Job ${object.metadata.name} that belongs to ${whose}; it begins when that is gone`;
      context.conditions.set(ENDED, 'False', 'JobNameTaken', what);
      throw new Resync(what, pollEvery);
    }
    if (life.is !== 'absent') return choose(this.#task.kind, life.job);
    const program = await this.#task.program(context);
    return makeJob(this.#task.kind, jobOf(this.#owner(object), program, this.#image));
  }

  async #follow(context: ActorContext<T>): Promise<Action<T> | undefined> {
    const { object } = context;
    if (object.status?.phase === 'Pending') statusOf(context).phase = 'Running';
    const life = await lifeOf(context, object.status?.jobUID);
    switch (life.is) {
      case 'ready':
        await context.apply(Service, statusServiceOf(this.#owner(object)));
        return start(life.job);
      case 'runs':
        await context.apply(Service, statusServiceOf(this.#owner(object)));
        return this.#poll(context, life.job);
      case 'dead':
        return this.#lost(context, 'JobFailed', life.why);
      case 'unknown':
        throw new Resync(`Job ${life.job.metadata.name} is suspended`, pollEvery);
      default:
        return this.#lost(context, 'JobMissing', 'job is cleaned externally: it may have run, and is not run again');
    }
  }

  /** A Job that tells nothing any more has failed, unless its result was taken before: by an operator of which this one hears late, too. */
  async #lost(context: ActorContext<T>, reason: string, why: string): Promise<never> {
    const { client, object, signal } = context;
    if (await this.#task.wasAccepted(context)) return complete(context);
    const now = await client.of(this.#task.kind).find(keyOf(object), { signal });
    if (now === undefined || now.metadata.uid !== object.metadata.uid || endOf(now))
      throw new Resync('it has ended already', pollEvery);
    return fail(context, reason, why);
  }

  async #poll(context: ActorContext<T>, job: Job): Promise<undefined> {
    const report = await this.#ask(context);
    if (typeof report === 'string') return unreachable(context, job, report);
    context.conditions.set(REACHABLE, 'True', 'StatusRead', 'the program tells how it goes');
    if (!report.completed) {
      context.conditions.set(ENDED, 'False', 'JobRunning');
      throw new Resync(`Job ${job.metadata.name} runs`, nextLook(context));
    }
    if (report.exitCode !== 0) {
      const said = quoted(report.stderr);
      return fail(context, 'JobFailed', `exit code ${report.exitCode}${said && `: ${said}`}`);
    }
    const why = await this.#task.accept(context, report, job);
    return why === undefined ? complete(context) : fail(context, 'ResultInvalid', why);
  }

  /** A report, or why there is none. */
  async #ask({ object, clock, signal }: ActorContext<T>): Promise<JobReport | string> {
    const key = keyOf(object);
    try {
      return await withTimeout(clock, answerWithin, 'the status', (limit) => this.#reports.read(key, limit), signal);
    } catch (error) {
      signal.throwIfAborted();
      return messageOf(error);
    }
  }

  /** Ended, for good: a Job that did what it was to do is not needed any more, and after a while nor is this. */
  async #rest(context: ActorContext<T>, end: 'Completed' | 'Failed'): Promise<Action<T>> {
    const { object, conditions, clock } = context;
    statusOf(context).phase = end;
    const isDone = end === 'Completed';
    if (isDone) await removeJob(context);
    if (conditions.get(ENDED)?.status !== 'True') conditions.set(ENDED, 'True', isDone ? 'JobComplete' : 'JobFailed');
    settle(context);
    const since = parseTime(conditions.get(ENDED)?.lastTransitionTime ?? formatTime(clock.now()));
    const left = since + ttlOf(object).milliseconds - clock.now();
    if (left > 0) throw new Resync('it has ended', left);
    const kept = await this.#task.keptFor(context);
    if (kept !== undefined) throw new Resync(kept, pollEvery);
    return expire(this.#task.kind);
  }

  async finalize(context: ActorContext<T>): Promise<boolean> {
    return removeJob(context);
  }

  #owner(object: T): JobOwner {
    const { namespace = '', name } = object.metadata;
    return { kind: this.#task.component, namespace, name, overlay: this.#task.overlayOf(object) };
  }
}

/**
 * Nobody answers: the pod may not run yet, which may take as long as it takes, for nothing has been done; or it runs and cannot be asked,
 * which is a failure after a while. `Unknown` and `False` keep the two apart, as the time of a condition is that of its status.
 */
async function unreachable<T extends BackupJob | RestoreJob>(
  context: ActorContext<T>,
  job: Job,
  why: string,
): Promise<never> {
  const { conditions, client, clock, signal } = context;
  const { namespace = '', name } = job.metadata;
  const labels = { 'batch.kubernetes.io/job-name': name };
  const state = podState((await client.of(Pod).list({ namespace, labels, signal })).items);
  const message = state.is === 'runs' ? `its status cannot be read: ${why}` : state.message;
  const status = state.is === 'runs' ? 'False' : 'Unknown';
  const before = conditions.get(REACHABLE);
  const since = before?.status === status ? parseTime(before.lastTransitionTime) : clock.now();
  const isUsual = state.reason !== 'SecretMissing' && clock.now() - since < usualStart;
  const reason = isUsual ? 'Starting' : state.reason;
  if (!isUsual && before?.reason !== reason) context.event({ type: 'Warning', reason, message });
  conditions.set(REACHABLE, status, reason, message);
  if (state.is === 'runs' && clock.now() - since >= unreachableFor)
    fail(
      context,
      reason,
      `${message}; given up after ${unreachableFor / 60_000} minutes; what it has done is not known`,
    );
  conditions.set(ENDED, 'False', 'JobRunning', message);
  throw new Resync(`Job ${name} runs; ${message}`, nextLook(context));
}

/** Milliseconds until the next look at a Job that runs. */
function nextLook<T extends BackupJob | RestoreJob>({ conditions, clock }: ActorContext<T>): number {
  const since = conditions.get(ENDED)?.lastTransitionTime;
  return since !== undefined && clock.now() - parseTime(since) < first ? pollAtFirst : pollEvery;
}

/** What is the same of the status of both kinds. */
function statusOf<T extends BackupJob | RestoreJob>(context: ActorContext<T>): JobStatus {
  return context.status as unknown as JobStatus;
}

/** The Job and its service are named after the object, and the names of services are the shorter ones. */
function nameProblem({ metadata: { name } }: KubeObject): string | undefined {
  if (name.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) return undefined;
  return 'metadata.name: must begin with a letter, and have only lower case letters, digits and hyphens, 63 at most: a Service is named after it';
}

function quoted(text: string): string {
  return String(maskSecrets('said', text, {}))
    .trim()
    .slice(-longestQuote);
}

/** The Job as the server has it: that the store does not show one does not mean that there is none. */
async function lifeOf<T extends BackupJob | RestoreJob>(
  { object, store, client, signal }: ActorContext<T>,
  known: string | undefined,
): Promise<JobLife> {
  const key = keyOf(object);
  const seen = jobLife(store(Job).get(key), object.metadata.uid, known);
  if (seen.is !== 'absent' && seen.is !== 'taken') return seen;
  return jobLife(await client.of(Job).find(key, { signal }), object.metadata.uid, known);
}

async function removeJob<T extends BackupJob | RestoreJob>(context: ActorContext<T>): Promise<boolean> {
  const life = await lifeOf(context, undefined);
  return life.is === 'absent' || life.is === 'taken' || context.ensureGone(Job, keyOf(context.object));
}

function makeJob<T extends BackupJob | RestoreJob>(kind: Kind<T>, job: Job): Action<T> {
  return {
    name: 'MakeJob',
    async run({ client, object, signal }) {
      const ownerReferences = [controllerReference(kind, object)];
      try {
        await client.of(Job).create({ ...job, metadata: { ...job.metadata, ownerReferences } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        throw new Resync(`Job ${job.metadata.name} has just been made`);
      }
    },
  };
}

/** Writes down which Job may run, unless the object has changed since it was read. */
function choose<T extends BackupJob | RestoreJob>(kind: Kind<T>, job: Job): Action<T> {
  return {
    name: 'ChooseJob',
    async run(context) {
      const { client, object, signal } = context;
      const { resourceVersion } = object.metadata;
      const chosen = { phase: 'Running', jobUID: job.metadata.uid ?? '' };
      const body = { metadata: { resourceVersion }, status: chosen };
      const written = await client.of(kind).patchStatus(keyOf(object), merge(body), { signal });
      if (written.status?.jobUID !== chosen.jobUID)
        throw new Error(
          `the CRD of ${kind.kind} is of another operator and keeps no status.jobUID; install this operator's`,
        );
      // What this pass ends with is laid over what another operator may have come to meanwhile: nothing of the phase, and no step more.
      if (object.status?.phase === undefined) delete statusOf(context).phase;
      throw new Resync(`Job ${job.metadata.name} has been chosen`);
    },
  };
}

/** Lets the Job run, once: a Job that is suspended again later bears the mark. */
function start<T extends BackupJob | RestoreJob>(job: Job): Action<T> {
  return {
    name: 'StartJob',
    async run({ client, conditions, event, signal }) {
      const { resourceVersion, name } = job.metadata;
      const metadata = { resourceVersion, annotations: { [ANNOTATION_STARTED]: 'y' } };
      await client.of(Job).patch(keyOf(job), merge({ metadata, spec: { suspend: false } }), { signal });
      conditions.set(ENDED, 'False', 'JobRunning');
      event({ reason: 'JobStarted', message: `Job ${name} runs` });
    },
  };
}

function complete<T extends BackupJob | RestoreJob>(context: ActorContext<T>): never {
  const { conditions, object, event } = context;
  statusOf(context).phase = 'Completed';
  conditions.set(ENDED, 'True', 'JobComplete');
  event({ reason: 'JobComplete', message: `${object.kind} ${object.metadata.name} is done` });
  return end(context);
}

function fail<T extends BackupJob | RestoreJob>(context: ActorContext<T>, reason: string, message: string): never {
  statusOf(context).phase = 'Failed';
  context.conditions.set(ENDED, 'True', reason, message);
  context.event({ type: 'Warning', reason, message });
  return end(context);
}

function expire<T extends BackupJob | RestoreJob>(kind: Kind<T>): Action<T> {
  return {
    name: 'Expire',
    async run({ ensureGone, object }) {
      await ensureGone(kind, keyOf(object));
    },
  };
}

/** Nothing is left to be done or asked. An operator that hears late may say otherwise once more. */
function settle<T extends KubeObject>({ conditions }: ActorContext<T>): void {
  conditions.remove(REACHABLE);
  conditions.set('Synced', 'True', 'ReconcileSuccess', 'the object is synced');
}

/** The end is written before anything is done that follows from it. */
function end<T extends KubeObject>(context: ActorContext<T>): never {
  settle(context);
  throw new Resync('it has ended', 1_000);
}
