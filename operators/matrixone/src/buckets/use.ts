import type { Kind, KubeObject } from '@coxswain/k8s';
import { type ActorContext, Resync } from '@coxswain/runtime/actor';
import { hasFinalizer, removeFinalizer } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { keyOf, keyString, type ObjectKey, parseTime } from '@coxswain/runtime/core';
import { BucketClaim, CNSet, DNSet, type ObjectDependency } from '../api/index.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import { phaseOfClaim } from './claims.ts';
import { allClaims } from './hold.ts';

/** A set of nodes that works on the data of a log service. */
export interface BucketUser extends KubeObject {
  readonly deps?: { readonly logSet?: ObjectDependency };
}

/** Milliseconds after its creation within which a set is there: nobody is told that late of its end. */
const young = 60_000;
/** Milliseconds between looks at a set that is not there for the server. */
const lookAgain = 5_000;

/** Whose nodes they are: compute or transaction nodes. */
export type BucketRole = 'CN' | 'DN';

function logSetOf({ metadata, deps }: BucketUser): ObjectKey | undefined {
  const reference = deps?.logSet?.metadata;
  return reference?.name
    ? { namespace: reference.namespace || metadata.namespace || '', name: reference.name }
    : undefined;
}

function finalizerOf({ metadata: { namespace = '', name } }: BucketUser, role: BucketRole): string {
  return bucketUserFinalizer(role, namespace, name);
}

/**
 * A set that has been there for long is marked already, or is gone, of which this operator may not have heard: nobody would take its mark away.
 * @throws Resync when the server does not know it
 */
async function checkThere<T extends BucketUser>(context: ActorContext<T>, role: BucketRole): Promise<void> {
  const { client, clock, object, signal } = context;
  const { creationTimestamp, uid } = object.metadata;
  if (creationTimestamp && clock.now() - parseTime(creationTimestamp) < young) return;
  const kind: Kind = role === 'CN' ? CNSet : DNSet;
  const now = await client.of(kind).find(keyOf(object), { signal });
  if (now?.metadata.uid !== uid || now?.metadata.deletionTimestamp)
    throw new Resync(`${object.metadata.name} goes, or is gone, which is not known here yet`, lookAgain);
}

/** Marks the bucket of a set as used, before a node starts that works on it. Without a claim (no S3) nothing is done. */
export async function useBucket<T extends BucketUser>(context: ActorContext<T>, role: BucketRole): Promise<void> {
  const { client, object, signal } = context;
  const logSet = logSetOf(object);
  if (!logSet) return;
  const finalizer = finalizerOf(object, role);
  for (const claim of context.store(BucketClaim).list({ namespace: logSet.namespace ?? '' })) {
    if (claim.status?.bindTo !== keyString(logSet) || phaseOfClaim(claim) !== 'InUse') continue;
    if (hasFinalizer(claim, finalizer)) continue;
    await checkThere(context, role);
    const { finalizers = [], resourceVersion } = claim.metadata;
    // As it was seen: once it is given up, nobody would take the mark away again.
    const body = { metadata: { resourceVersion, finalizers: [...finalizers, finalizer] } };
    await client.of(BucketClaim).patch(keyOf(claim), merge(body), { signal });
  }
}

/** Takes the mark away: no node of the set is left. */
export async function leaveBucket<T extends BucketUser>(context: ActorContext<T>, role: BucketRole): Promise<void> {
  const { client, object, signal } = context;
  const namespace = logSetOf(object)?.namespace;
  if (!namespace) return;
  // From the server: a mark that the cache does not show yet would stay for ever.
  for (const claim of await allClaims(context, { namespace })) {
    await removeFinalizer(client, BucketClaim, claim, finalizerOf(object, role), { signal });
  }
}
