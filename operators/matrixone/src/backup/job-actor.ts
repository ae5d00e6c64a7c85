import { Job, type Kind, type KubeObject, Pod, Service } from '@coxswain/k8s';
import { type Action, type Actor, type ActorContext, Resync } from '@coxswain/runtime/actor';
import { findCondition, isTrue } from '@coxswain/runtime/apply';
import { controllerOf } from '@coxswain/runtime/controller';
import { keyOf, maskSecrets, messageOf, parseTime, withTimeout } from '@coxswain/runtime/core';
import type { BackupJob, JobKind, Overlay, RestoreJob } from '../api/index.ts';
import { type JobLife, jobLife } from './job-life.ts';
import { type JobOwner, jobOf, type Program, statusServiceOf } from './job-objects.ts';
import { choose, complete, expire, fail, makeJob, sayPhase, start } from './job-steps.ts';
import { type PodState, podState, strangerAmong } from './pod-state.ts';
import type { JobReport, JobReports } from './report.ts';
import { ENDED, endOf, type JobStatus, say } from './say.ts';
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
  /** Takes the result of a program that did what it was to do. Answers what the status tells of it, or why it is none. May be repeated. */
  accept(context: ActorContext<T>, report: JobReport, job: Job): Promise<JobStatus | string>;
  /** What the status tells of a result that had been taken before its Job was lost. */
  accepted(context: ActorContext<T>): Promise<JobStatus | undefined>;
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
    const { kind } = this.#task;
    if (object.status?.phase !== 'Pending') return sayPhase(kind, 'Pending');
    const problem = nameProblem(object) ?? ttlOf(object).problem ?? this.#task.problem(object);
    if (problem !== undefined) return fail(kind, 'SpecInvalid', problem);
    const held = this.#task.heldFor(object);
    if (held !== undefined) throw new Resync(held, pollEvery);
    const life = await lifeOf(context, undefined);
    if (life.is === 'taken') {
      const owner = controllerOf(life.job);
      const whose = owner ? `${owner.kind} ${owner.name}` : 'nobody here';
      const what = `the name is taken: there is a Job ${object.metadata.name} that belongs to ${whose}; it begins when that is gone`;
      await say(context, kind, {}, { status: 'False', reason: 'JobNameTaken', message: what });
      throw new Resync(what, pollEvery);
    }
    if (life.is !== 'absent') return choose(kind, life.job);
    const program = await this.#task.program(context);
    return makeJob(kind, jobOf(this.#owner(object), program, this.#image));
  }

  async #follow(context: ActorContext<T>): Promise<Action<T> | undefined> {
    const { object } = context;
    // An operator of an earlier version that heard late has put it back.
    if (object.status?.phase !== 'Running') return sayPhase(this.#task.kind, 'Running');
    const life = await lifeOf(context, object.status?.jobUID);
    switch (life.is) {
      case 'ready':
        await context.apply(Service, statusServiceOf(this.#owner(object)));
        return start(this.#task.kind, life.job);
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
  async #lost(context: ActorContext<T>, reason: string, why: string): Promise<Action<T>> {
    const { kind } = this.#task;
    const accepted = await this.#task.accepted(context);
    return accepted ? complete(kind, accepted) : fail(kind, reason, why);
  }

  async #poll(context: ActorContext<T>, job: Job): Promise<Action<T>> {
    const { kind } = this.#task;
    const pods = await podsOf(context, job);
    const report = strangerAmong(pods, job) ? 'another may answer' : await this.#ask(context);
    if (typeof report === 'string') return unreachable(context, kind, job, podState(pods, job), report);
    context.conditions.set(REACHABLE, 'True', 'StatusRead', 'the program tells how it goes');
    if (!report.completed) {
      await say(context, kind, {}, { status: 'False', reason: 'JobRunning' });
      throw new Resync(`Job ${job.metadata.name} runs`, nextLook(context));
    }
    if (report.exitCode !== 0) {
      const said = quoted(report.stderr);
      return fail(kind, 'JobFailed', `exit code ${report.exitCode}${said && `: ${said}`}`);
    }
    const accepted = await this.#task.accept(context, report, job);
    return typeof accepted === 'string' ? fail(kind, 'ResultInvalid', accepted) : complete(kind, accepted);
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
    const { object, clock } = context;
    const isDone = end === 'Completed';
    if (isDone) await removeJob(context);
    const ended = isTrue(object, ENDED) ? findCondition(object, ENDED) : undefined;
    const reason = isDone ? 'JobComplete' : 'JobFailed';
    await say(context, this.#task.kind, { phase: end }, ended ? undefined : { status: 'True', reason });
    settle(context);
    const since = ended ? parseTime(ended.lastTransitionTime) : clock.now();
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
  kind: Kind<T>,
  job: Job,
  state: PodState,
  why: string,
): Promise<Action<T>> {
  const { conditions, clock } = context;
  const message = state.is === 'runs' ? `its status cannot be read: ${why}` : state.message;
  const status = state.is === 'runs' ? 'False' : 'Unknown';
  const before = conditions.get(REACHABLE);
  const since = before?.status === status ? parseTime(before.lastTransitionTime) : clock.now();
  const isUsual = state.reason !== 'SecretMissing' && clock.now() - since < usualStart;
  const reason = isUsual ? 'Starting' : state.reason;
  if (!isUsual && before?.reason !== reason) context.event({ type: 'Warning', reason, message });
  conditions.set(REACHABLE, status, reason, message);
  if (state.is === 'runs' && clock.now() - since >= unreachableFor)
    return fail(
      kind,
      reason,
      `${message}; given up after ${unreachableFor / 60_000} minutes; what it has done is not known`,
    );
  await say(context, kind, {}, { status: 'False', reason: 'JobRunning', message });
  throw new Resync(`Job ${job.metadata.name} runs; ${message}`, nextLook(context));
}

/** Pods that the service of a Job may reach, as the server has them. */
async function podsOf<T extends BackupJob | RestoreJob>(
  { client, signal }: ActorContext<T>,
  { metadata: { namespace = '', name } }: Job,
): Promise<readonly Pod[]> {
  const labels = { 'batch.kubernetes.io/job-name': name };
  return (await client.of(Pod).list({ namespace, labels, signal })).items;
}

/** Milliseconds until the next look at a Job that runs. */
function nextLook<T extends BackupJob | RestoreJob>({ object, clock }: ActorContext<T>): number {
  const since = findCondition(object, ENDED)?.lastTransitionTime;
  return since === undefined || clock.now() - parseTime(since) < first ? pollAtFirst : pollEvery;
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

/** Nothing is left to be done or asked. An operator that hears late may say otherwise once more. */
function settle<T extends KubeObject>({ conditions }: ActorContext<T>): void {
  conditions.remove(REACHABLE);
  conditions.set('Synced', 'True', 'ReconcileSuccess', 'the object is synced');
}
