import type { KubeObject } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { hasFinalizer, removeFinalizer } from '@coxswain/runtime/apply';
import { merge } from '@coxswain/runtime/client';
import { keyOf, keyString, type ObjectKey } from '@coxswain/runtime/core';
import { BucketClaim, CNSet, DNSet, type ObjectDependency } from '../api/index.ts';
import { bucketUserFinalizer } from '../identity/index.ts';
import { checkThere } from './check-there.ts';
import { isLeaving, phaseOfClaim } from './claims.ts';
import { allClaims } from './hold.ts';

/** A set of nodes that works on the data of a log service. */
export interface BucketUser extends KubeObject {
  readonly deps?: { readonly logSet?: ObjectDependency };
}

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

/** Marks the bucket of a set as used, before a node starts that works on it. Without a claim (no S3) nothing is done. */
export async function useBucket<T extends BucketUser>(context: ActorContext<T>, role: BucketRole): Promise<void> {
  const { client, object, signal } = context;
  const logSet = logSetOf(object);
  if (!logSet) return;
  const finalizer = finalizerOf(object, role);
  for (const claim of context.store(BucketClaim).list({ namespace: logSet.namespace ?? '' })) {
    if (claim.status?.bindTo !== keyString(logSet) || phaseOfClaim(claim) !== 'InUse') continue;
    // One that a user has deleted stays as long as its log service, and takes no mark any more.
    if (hasFinalizer(claim, finalizer) || isLeaving(claim)) continue;
    // One that is old is marked already, or is gone: nobody would take this mark away.
    await checkThere(context, role === 'CN' ? CNSet : DNSet);
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
