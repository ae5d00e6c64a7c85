import type { PodTemplateSpec } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { asSeen, deepEqual, ignoreNotFound, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { ANNOTATION_ANY_INSTANCE_RUNNING, BucketClaim, LogSet, type S3Storage } from '../api/index.ts';
import { bucketPlace, placesOverlap } from '../identity/index.ts';
import { checkThere } from './check-there.ts';
import {
  type ClaimContent,
  claimName,
  isLeaving,
  mayHaveData,
  newClaim,
  phaseOfClaim,
  placeOfClaim,
  titleOf,
  withContent,
} from './claims.ts';
import { type Claimant, decideClaim, isFree } from './decide.ts';

type Context = ActorContext<LogSet>;

/** Where claims are looked for. */
export interface BucketScope {
  /** The only namespace that the operator may look into; default all. */
  readonly namespace?: string;
}

/** What a log service wants to be the owner of. */
export interface WantedBucket {
  /** Absent: its data is on no S3. */
  readonly s3: S3Storage | undefined;
  readonly template: PodTemplateSpec;
  /** Whether its workload is there. */
  readonly started: boolean;
}

/** Milliseconds between looks at a path that somebody else has. */
const lookAgain = 15_000;
/** Looks of one pass; each but the last is followed by a write. */
const looks = 4;

/**
 * Makes the log service the owner of its S3 path, before anything of it starts, and keeps its claim up to date. When it is the owner already
 * nothing is asked of the server, unless it is so by an earlier one's claim and nothing has started. One that runs already is never stopped by this.
 * @throws Resync while somebody else is the owner, or may become it; the condition `BucketBlocked` names him
 */
export async function holdBucket(context: Context, wanted: WantedBucket, scope: BucketScope): Promise<void> {
  const { s3, template, started } = wanted;
  if (!s3) return;
  const { namespace = '' } = context.object.metadata;
  const name = claimName(context.object);
  const me: Claimant = { owner: titleOf(context.object), namespace, claimName: name, place: bucketPlace(s3), started };
  const known = [...context.store(BucketClaim).list()];
  const cached = decideClaim(known, me);
  // Claims are bound by name: an earlier log service's may be given up, of which nothing is known here yet.
  if (cached.kind === 'held' && (started || cached.claim.metadata.name === name))
    return keep(context, cached.claim, known, me, { s3, template });
  // A log service that is old, or that runs, has its claim, or is gone with it: one made anew would be nobody's.
  await checkThere(context, LogSet, started);
  // A claim that is one too many is withdrawn after the first look, so it may be made on the cache's word; unless that has been wrong before.
  if (cached.kind === 'create' && !context.conditions.get('BucketBlocked'))
    await step(context, known, me, { s3, template });
  for (let look = 1; look <= looks; look++) {
    const claims = await allClaims(context, scope);
    if (await step(context, claims, me, { s3, template })) return;
  }
  throw new Resync('claims of the S3 path keep changing');
}

/** Claims as the server has them now. */
export function allClaims(
  { client, signal }: Pick<Context, 'client' | 'signal'>,
  scope: BucketScope,
): Promise<readonly BucketClaim[]> {
  return Array.fromAsync(client.of(BucketClaim).listAll({ ...scope, signal }));
}

/** One step towards being the owner. `true`: no more are needed, or none helps now. */
async function step(
  context: Context,
  claims: readonly BucketClaim[],
  me: Claimant,
  content: ClaimContent,
): Promise<boolean> {
  const bucketClaims = context.client.of(BucketClaim);
  const decision = decideClaim(claims, me);
  const { signal } = context;
  switch (decision.kind) {
    case 'held':
      await keep(context, decision.claim, claims, me, content);
      return true;
    case 'hold': {
      const { resourceVersion } = decision.claim.metadata;
      // What earlier owners have left may not have been seen yet when the claim was made.
      const inherits = !mayHaveData(decision.claim) && hasLeftovers(claims, me);
      const annotations = inherits ? { annotations: { [ANNOTATION_ANY_INSTANCE_RUNNING]: 'true' } } : {};
      const body = { metadata: { resourceVersion, ...annotations }, status: { bindTo: me.owner, state: 'InUse' } };
      await bucketClaims.patch(keyOf(decision.claim), merge(body), { signal });
      context.conditions.remove('BucketBlocked');
      // Where all runs already nothing may lead to another pass: what others have left is taken over now.
      return !me.started;
    }
    case 'create': {
      await bucketClaims
        .create(newClaim(context.object, content, me.started || hasLeftovers(claims, me)), { signal })
        .catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      return false;
    }
    case 'rebind':
      await bucketClaims.update({ ...withContent(decision.claim, content), status: { bindTo: me.owner } }, { signal });
      return false;
    case 'withdraw':
      await withdraw(context, decision.claim);
      return blocked(context, me, decision.rival);
    case 'wait':
      return blocked(context, me, decision.rival);
  }
}

/** Whether earlier owners of the path may have left data. */
function hasLeftovers(claims: readonly BucketClaim[], me: Claimant): boolean {
  return claims.some((claim) => isFree(claim, me.place) && mayHaveData(claim));
}

/** Says who is in the way. @throws Resync unless the log service runs already */
function blocked(context: Context, me: Claimant, rival: BucketClaim): true {
  const { conditions } = context;
  const { path } = rival.spec.s3;
  const whose = rival.status?.bindTo ? `bound to LogSet ${rival.status.bindTo}` : 'being given up';
  const state = phaseOfClaim(rival) === 'Deleting' ? 'whose data is being removed' : whose;
  const message = `S3 path ${path} is claimed by BucketClaim ${titleOf(rival)}, ${state}`;
  if (conditions.get('BucketBlocked')?.message !== message) {
    const help = me.started
      ? 'two clusters write to it: move one of them'
      : 'nothing is started: choose another path, or delete the other cluster';
    context.event({ type: 'Warning', reason: 'BucketBlocked', message: `${message}; ${help}` });
  }
  conditions.set('BucketBlocked', 'True', 'PathClaimed', message);
  if (me.started) return true;
  conditions.set('Synced', 'False', 'BucketBlocked', message);
  conditions.set('Ready', 'False', 'BucketBlocked', message);
  throw new Resync(message, lookAgain);
}

/**
 * As the owner: the claim keeps what is needed to remove the data one day, and what earlier owners left at the path is his, so that their
 * claims end, without their data. So does one that he made besides, when he had not heard yet that he is the owner.
 */
async function keep(
  context: Context,
  claim: BucketClaim,
  claims: readonly BucketClaim[],
  me: Claimant,
  content: ClaimContent,
): Promise<void> {
  context.conditions.remove('BucketBlocked');
  const isSurplus = (one: BucketClaim) =>
    one !== claim && one.status?.bindTo === me.owner && phaseOfClaim(one) === 'Pending' && !isLeaving(one);
  for (const left of claims.filter((one) => isFree(one, me.place) || isSurplus(one))) await remove(context, left);
  const now = withContent(claim, content);
  const isSame = deepEqual([claim.metadata.labels, claim.spec], [now.metadata.labels, now.spec]);
  if (!isSame) await context.client.of(BucketClaim).update(now, { signal: context.signal });
}

/** Gives up a claim that never became `InUse`: one taken over is `Released` again, for its data's sake. */
export async function withdraw(context: Pick<Context, 'client' | 'signal'>, claim: BucketClaim): Promise<void> {
  if (!mayHaveData(claim)) return remove(context, claim);
  const { resourceVersion } = claim.metadata;
  const body = { metadata: { resourceVersion }, status: { bindTo: '', state: 'Released' } };
  await context.client.of(BucketClaim).patch(keyOf(claim), merge(body), { signal: context.signal });
}

/** Deletes a claim as it was seen, and no other. */
async function remove({ client, signal }: Pick<Context, 'client' | 'signal'>, claim: BucketClaim): Promise<void> {
  await ignoreNotFound(client.of(BucketClaim).delete(keyOf(claim), { preconditions: asSeen(claim), signal }));
}

/** Other claims to this place, or to one around or within it, in whose keeping there may be data that must stay. */
export function keptBesides(claim: BucketClaim, claims: readonly BucketClaim[]): BucketClaim | undefined {
  const place = placeOfClaim(claim);
  return claims.find(
    (other) =>
      other.metadata.uid !== claim.metadata.uid && keepsData(other) && placesOverlap(place, placeOfClaim(other)),
  );
}

function keepsData(claim: BucketClaim): boolean {
  const phase = phaseOfClaim(claim);
  // One that waits may be of a log service that runs already.
  if (phase === 'Pending') return mayHaveData(claim);
  return phase === 'InUse' || (phase === 'Released' && !isLeaving(claim));
}
