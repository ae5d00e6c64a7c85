import { ConfigMap, Job, type JobCondition, type Kind, type KubeObject, Pod, Secret } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { controllerReference, hasFinalizer } from '@coxswain/runtime/apply';
import { findSame } from '@coxswain/runtime/client';
import { ApiError, isAlreadyExists, isNotFound, keyOf, messageOf } from '@coxswain/runtime/core';
import type { EventDetails } from '@coxswain/runtime/events';
import { BucketClaim, FINALIZER_BUCKET_DATA } from '../api/index.ts';
import { phaseOfClaim, titleOf } from './claims.ts';
import { type CleanPlace, cleanConfigMap, cleanJob } from './clean-job.ts';
import { cleanLabels, cleanNames, isJobOf, isOwnedBy } from './clean-names.ts';
import { areOnlyKept, findCredentials, lacksSecrets } from './credentials.ts';
import { allClaims, type BucketScope, keptBesides } from './hold.ts';
import { lastWordsOf } from './last-words.ts';

type Context = ActorContext<BucketClaim>;

/** Milliseconds between looks at a Job that runs: what its containers say of their failures changes no object that is watched. */
const lookAgain = 15_000;
/** Milliseconds between looks at what is in the way. */
const obstacleAgain = 60_000;
/** Milliseconds before a new Job follows one that failed: as long as has been tried so far, within these. */
const [leastPause, mostPause] = [30_000, 1_800_000];

/** How data is removed. */
export interface CleanOptions {
  /** Image of the Job. */
  readonly image: string;
  readonly scope: BucketScope;
  /** Namespace where a Job runs when the claim's takes none any more. Absent: none, and such data stays. */
  readonly elsewhere?: string;
  /** Tells of data that stays. The claim cannot: where it is no events are taken any more. */
  tellNamespace(namespace: string, details: EventDetails): void;
}

/**
 * Removes the data of a claim by a Job, and by another one when that fails. Returns when the data is gone; in a namespace that is being deleted
 * also when it cannot be removed, which is told.
 * @throws Resync until then; the condition `recyclable` says why
 */
export async function cleanBucket(context: Context, options: CleanOptions): Promise<void> {
  const job = findJob(context, options);
  return job ? follow(context, options, job) : begin(context, options);
}

/** Goes on by how its Job fares. */
async function follow(context: Context, options: CleanOptions, job: Job): Promise<void> {
  const { metadata } = context.object;
  if (job.metadata.deletionTimestamp) throw new Resync('the Job is being replaced');
  const isElsewhere = job.metadata.namespace !== metadata.namespace;
  const failed = conditionOf(job, 'Failed');
  if (failed && !isElsewhere) return again(context, job, failed);
  if (failed)
    keepData(context, options, `Job ${titleOf(job)} failed: ${(await lastWords(context, job)) || failed.message}`);
  else if (!conditionOf(job, 'Complete')) return lookAt(context, options, job, isElsewhere);
  // One of an operator before this has no end of its own.
  if (isElsewhere && job.spec?.ttlSecondsAfterFinished === undefined) await remove(context, job);
}

/** The claim's own Job: others may have the same name. */
function findJob(context: Context, { elsewhere }: CleanOptions): Job | undefined {
  const { object } = context;
  const { namespace = '' } = object.metadata;
  const jobs = context.store(Job);
  const here = jobs.get({ namespace, name: cleanNames(object).job });
  if (here && isJobOf(here, object)) return here;
  if (elsewhere === undefined || elsewhere === namespace) return undefined;
  return [...jobs.list({ namespace: elsewhere })].find((job) => isJobOf(job, object));
}

/** Deletes a Job as it was seen, and no other. */
async function remove({ client, signal }: Context, job: Job): Promise<void> {
  const { uid } = job.metadata;
  const options = { propagation: 'Background', ...(uid ? { preconditions: { uid } } : {}), signal } as const;
  await client.of(Job).delete(keyOf(job), options).catch(ignoreMissing);
}

function ignoreMissing(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** Looks at a Job that runs. */
async function lookAt(context: Context, options: CleanOptions, job: Job, isElsewhere: boolean): Promise<void> {
  if (isElsewhere && !(await equip(context, job))) {
    keepData(context, options, lostCredentials);
    return remove(context, job);
  }
  if (!isElsewhere && (await lacksSecrets(context, context.object, job))) {
    await remove(context, job);
    wait(context, 'Cleaning', 'the Secrets of its Job are gone: the next one takes what was kept of them', 2_000);
  }
  const trouble = await lastWords(context, job);
  const where = isElsewhere ? ` by Job ${titleOf(job)}` : '';
  wait(context, trouble ? 'JobFailing' : 'Cleaning', trouble || `the data is being removed${where}`, lookAgain);
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
async function begin(context: Context, options: CleanOptions): Promise<void> {
  const { object } = context;
  const other = keptBesides(object, await allClaims(context, options.scope));
  const ownerReferences = [controllerReference(BucketClaim, object)];
  let there: Job | undefined;
  try {
    await applyScript(context);
    if (other) return heldBack(context, other);
    const job = cleanJob(object, options.image, await placeHere(context));
    there = await create(context, { ...job, metadata: { ...job.metadata, ownerReferences } });
  } catch (error) {
    if (isTerminating(error)) return beginElsewhere(context, options, other);
    throw failed(context, error);
  }
  if (there) return follow(context, options, there);
  wait(context, 'Cleaning', 'the data is being removed', lookAgain);
}

/** Writes the script. One of the claim's name with something else in it is somebody else's: it would go with the claim. */
async function applyScript(context: Context): Promise<void> {
  const { client, object, signal } = context;
  const script = cleanConfigMap(object);
  const there = await client.of(ConfigMap).find(keyOf(script), { signal });
  const isOurs = there?.metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid);
  if (there && !isOurs && Object.keys(there.data ?? {}).some((key) => !(key in (script.data ?? {})))) {
    const message = `ConfigMap ${titleOf(there)} is there already, and not of BucketClaim ${titleOf(object)}: delete it, or the data stays`;
    warn(context, 'NameTaken', message);
    wait(context, 'NameTaken', message, obstacleAgain);
  }
  await context.apply(ConfigMap, script);
}

/** Says why there is no Job. */
function failed({ conditions }: Context, error: unknown): unknown {
  if (!(error instanceof Resync)) conditions.set('recyclable', 'False', 'FailCreateJob', messageOf(error));
  return error;
}

/**
 * Makes a Job. @returns the claim's own that is there already. @throws Resync when there is one of somebody else, or the claim is gone, of which
 * this operator has not heard: the next one may be at its path
 */
async function create(context: Context, job: Job): Promise<Job | undefined> {
  const { client, object, signal } = context;
  const now = await findSame(client, BucketClaim, object, signal);
  if (!now || !hasFinalizer(now, FINALIZER_BUCKET_DATA))
    throw new Resync(`BucketClaim ${titleOf(object)} is let go, or is gone, which is not known here yet`, lookAgain);
  try {
    await client.of(Job).create(job, { signal });
    return undefined;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const there = await client.of(Job).find(keyOf(job), { signal });
  if (!there) throw new Resync('a Job of that name has just gone');
  if (isJobOf(there, object)) return there;
  const message = `Job ${titleOf(there)} is there already, and not of BucketClaim ${titleOf(object)}: delete it, or the data stays`;
  warn(context, 'NameTaken', message);
  return wait(context, 'NameTaken', message, obstacleAgain);
}

function whoKeeps({ spec }: BucketClaim, other: BucketClaim): string {
  return `BucketClaim ${titleOf(other)} keeps the data at ${other.spec.s3.path}, so ${spec.s3.path} is not removed`;
}

function heldBack(context: Context, other: BucketClaim): never {
  const until = phaseOfClaim(other) === 'Released' ? 'delete that claim first' : 'it is when that log service is gone';
  const message = `${whoKeeps(context.object, other)}; ${until}`;
  warn(context, 'PathInUse', message);
  wait(context, 'PathInUse', message, obstacleAgain);
}

/** With the Secrets that its user has, or with what was kept of them when they are gone. */
async function placeHere(context: Context): Promise<CleanPlace> {
  const { object } = context;
  return (await areOnlyKept(context, object)) ? { secret: object.metadata.name } : {};
}

function isTerminating(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}

function isInvalid(error: unknown): boolean {
  return error instanceof ApiError && error.code === 422;
}

const lostCredentials = 'the Secrets with what leads to it are gone';

/** The namespace takes nothing new: the Job runs where the operator lives. What is in the way there is in the way for good. */
async function beginElsewhere(context: Context, options: CleanOptions, other: BucketClaim | undefined): Promise<void> {
  const { object } = context;
  const { image, elsewhere } = options;
  if (other) return keepData(context, options, whoKeeps(object, other));
  if (!elsewhere || elsewhere === object.metadata.namespace)
    return keepData(context, options, 'the operator has no other namespace for the Job that would remove it');
  if (!(await findCredentials(context, object))) return keepData(context, options, lostCredentials);
  const place = { elsewhere, secret: cleanNames(object, elsewhere).job };
  let there: Job | undefined;
  try {
    there = await create(context, cleanJob(object, image, place));
  } catch (error) {
    // What the claim has of a template makes no Job, today or tomorrow.
    if (isInvalid(error)) return keepData(context, options, `its Job is refused: ${messageOf(error)}`);
    throw failed(context, error);
  }
  if (there) return follow(context, options, there);
  wait(context, 'Cleaning', `the data is being removed by a Job in namespace ${elsewhere}`, 0);
}

/** Makes what a Job elsewhere needs; it goes with the Job. `false`: what it needs is nowhere any more. */
async function equip({ client, object, signal }: Context, job: Job): Promise<boolean> {
  const { namespace: elsewhere = '', name, uid = '' } = job.metadata;
  // Made last: when it is there, all is.
  const there = await client.of(Secret).find({ namespace: elsewhere, name }, { signal });
  if (there && isOwnedBy(there, job)) return true;
  const found = await findCredentials({ client, signal }, object);
  if (!found) return false;
  const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name, uid }];
  const { metadata, ...content } = cleanConfigMap(object, { elsewhere });
  // By the name that its pod knows: operators before this one gave another.
  const mounted = job.spec?.template.spec?.volumes?.find(({ configMap }) => configMap)?.configMap?.name;
  // What is there of an earlier Job goes with that: another's script would remove another's data.
  const mine = async <T extends KubeObject>(kind: Kind<T>, made: T) => {
    await client.of(kind).create(made, { signal }).catch(ignoreExisting);
    const found = await client.of(kind).find(keyOf(made), { signal });
    if (!found || !isOwnedBy(found, job))
      throw new Resync(`${kind.kind} ${titleOf(made)} is there already, and not of Job ${name}`, lookAgain);
  };
  await mine(ConfigMap, { ...content, metadata: { ...metadata, name: mounted ?? metadata.name, ownerReferences } });
  const labels = cleanLabels(object, elsewhere);
  await mine(Secret, { metadata: { namespace: elsewhere, name, labels, ownerReferences }, data: found.data } as Secret);
  return true;
}

function ignoreExisting(error: unknown): void {
  if (!isAlreadyExists(error)) throw error;
}

/** Lets the data be, as the claim would keep its namespace for ever: who wanted it gone is told where it is. */
function keepData(context: Context, { tellNamespace }: CleanOptions, why: string): void {
  const { object, log } = context;
  const { namespace = '' } = object.metadata;
  const { path, endpoint } = object.spec.s3;
  const place = `s3://${path}${endpoint ? ` at ${endpoint}` : ''}`;
  const message = `the data of BucketClaim ${titleOf(object)} stays at ${place}, remove it by other means: ${why}`;
  log.warn({ claim: titleOf(object) }, message);
  tellNamespace(namespace, { type: 'Warning', reason: 'DataKept', message, action: 'Clean' });
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
  await remove(context, job);
  wait(context, 'JobFailure', message, 2_000);
}

async function lastWords({ client, signal }: Context, job: Job): Promise<string> {
  const { namespace = '', name } = job.metadata;
  const labels = { 'batch.kubernetes.io/job-name': name };
  return lastWordsOf((await client.of(Pod).list({ namespace, labels, signal })).items);
}
