import { ConfigMap, Job, type JobCondition, Pod } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerReference } from '@coxswain/runtime/apply';
import { ApiError, isAlreadyExists, keyOf, messageOf } from '@coxswain/runtime/core';
import { BucketClaim } from '../api/index.ts';
import { titleOf } from './claims.ts';
import { cleanConfigMap, cleanJob, cleanNames } from './clean-job.ts';
import { allClaims, type BucketScope, keptBesides } from './hold.ts';

type Context = ActorContext<BucketClaim>;

/** Milliseconds between looks at a Job that runs: what its containers say of their failures changes no object that is watched. */
const lookAgain = 15_000;
/** Milliseconds between looks at what is in the way. */
const obstacleAgain = 60_000;
/** Milliseconds before a new Job follows one that failed: as long as has been tried so far, within these. */
const [leastPause, mostPause] = [30_000, 1_800_000];

/**
 * Removes the data of a claim by a Job, and by another one when that fails. Returns when the data is gone.
 * @throws Resync until then; the condition `recyclable` says why
 */
export async function cleanBucket(context: Context, image: string, scope: BucketScope): Promise<void> {
  const { namespace = '' } = context.object.metadata;
  const job = context.store(Job).get({ namespace, name: cleanNames(context.object).job });
  if (!job) return begin(context, image, scope);
  if (job.metadata.deletionTimestamp) throw new Resync('the failed Job is being replaced');
  if (conditionOf(job, 'Complete')) return;
  const failed = conditionOf(job, 'Failed');
  if (failed) return again(context, job, failed);
  const trouble = await lastWords(context, job);
  wait(context, trouble ? 'JobFailing' : 'Cleaning', trouble || 'the data is being removed', lookAgain);
}

function wait({ conditions }: Context, reason: string, message: string, after: number): never {
  conditions.set('recyclable', 'False', reason, message);
  throw new Resync(message, after);
}

/** Tells of trouble once, however often it is met again. */
function warn(context: Context, reason: string, message: string): void {
  const known = context.conditions.get('recyclable');
  if (known?.reason !== reason || known.message !== message) {
    context.event({ type: 'Warning', reason, message, action: 'Clean' });
  }
}

function conditionOf({ status }: Job, type: string): JobCondition | undefined {
  return status?.conditions?.find((one) => one.type === type && one.status === 'True');
}

/** Starts the first Job, or the next, when nobody else's data is at the path. While this claim is there nobody can begin to use it. */
async function begin(context: Context, image: string, scope: BucketScope): Promise<void> {
  const { client, object, signal } = context;
  const other = keptBesides(object, await allClaims(context, scope));
  if (other) {
    const { path } = other.spec.s3;
    const message = `BucketClaim ${titleOf(other)} keeps the data at ${path}, so ${object.spec.s3.path} is not removed; delete that claim first`;
    warn(context, 'PathInUse', message);
    wait(context, 'PathInUse', message, obstacleAgain);
  }
  try {
    await context.apply(ConfigMap, cleanConfigMap(object));
    const job = cleanJob(object, image);
    const ownerReferences = [controllerReference(BucketClaim, object)];
    await client.of(Job).create({ ...job, metadata: { ...job.metadata, ownerReferences } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) notStarted(context, error);
  }
  wait(context, 'Cleaning', 'the data is being removed', lookAgain);
}

/** @throws what was given, or Resync where trying soon is in vain */
function notStarted(context: Context, error: unknown): never {
  const { object, conditions, log } = context;
  const { namespace } = object.metadata;
  if (!isTerminating(error)) {
    conditions.set('recyclable', 'False', 'FailCreateJob', messageOf(error));
    throw error;
  }
  const message =
    `namespace ${namespace} is being deleted, so no Job can remove the data at ${object.spec.s3.path}: remove it by other means ` +
    `or keep it, then let the claim go: kubectl patch bucketclaim ${object.metadata.name} -n ${namespace} --type merge -p '{"status":{"state":"Released"}}'`;
  warn(context, 'NamespaceTerminating', message);
  // In such a namespace there are no new events either.
  log.warn({ claim: titleOf(object) }, message);
  wait(context, 'NamespaceTerminating', message, obstacleAgain);
}

function isTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

/** A Job that failed is followed by a new one after a pause that grows with the time since the first. */
async function again(context: Context, job: Job, failed: JobCondition): Promise<void> {
  const { clock, conditions, object } = context;
  const before = conditions.get('recyclable');
  const why = before?.reason === 'JobFailing' || before?.reason === 'JobFailure' ? before.message : failed.message;
  const message = why || `Job ${job.metadata.name} failed`;
  if (before?.reason !== 'JobFailure')
    warn(context, 'JobFailure', `the data at ${object.spec.s3.path} is not removed: ${message}`);
  const at = Date.parse(failed.lastTransitionTime ?? '') || clock.now();
  const tried = at - (Date.parse(object.metadata.deletionTimestamp ?? '') || at);
  const left = at + Math.min(Math.max(tried, leastPause), mostPause) - clock.now();
  if (left > 0) wait(context, 'JobFailure', message, left);
  await context.ensureGone(Job, keyOf(job));
  wait(context, 'JobFailure', message, 2_000);
}

/** What the containers of a Job said last, of those that failed. */
async function lastWords({ client, signal }: Context, job: Job): Promise<string> {
  const { namespace = '', name } = job.metadata;
  const labels = { 'batch.kubernetes.io/job-name': name };
  const { items } = await client.of(Pod).list({ namespace, labels, signal });
  const states = items.flatMap(({ status }) => status?.containerStatuses ?? []);
  const ends = states.map(({ state, lastState }) => state?.terminated ?? lastState?.terminated);
  const end = ends.find((one) => one !== undefined && one.exitCode !== 0);
  return end?.message?.trim().split('\n').at(-1) ?? '';
}
