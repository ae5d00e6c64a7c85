import type { ActorContext } from '@coxswain/runtime/actor';
import { merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { BucketClaim, type LogSet } from '../api/index.ts';
import { phaseOfClaim, titleOf } from './claims.ts';
import { allClaims, withdraw } from './hold.ts';
import { bucketRetention } from './retention.ts';

/** Finalizers of the sets that use a bucket. */
const ofUser = /^matrixorigin\.io\/(CN|DN)-/;

/**
 * Gives up the claims of a log service of which nothing runs any more: `Released`, or `Deleting`, which the claim's own controller acts on.
 * `true` when none is left. While compute or transaction nodes use the data it is not given up; the condition `BucketBlocked` says so.
 */
export async function releaseBucket(context: ActorContext<LogSet>): Promise<boolean> {
  const { client, conditions, object, signal } = context;
  if (!object.spec.sharedStorage.s3) return true;
  const { namespace = '' } = object.metadata;
  const state = bucketRetention(object.spec) === 'Retain' ? 'Released' : 'Deleting';
  let done = true;
  // From the server: a claim that the cache does not show yet would stay for ever.
  for (const claim of await allClaims(context, { namespace })) {
    if (claim.status?.bindTo !== titleOf(object)) continue;
    const users = (claim.metadata.finalizers ?? []).filter((name) => ofUser.test(name));
    if (phaseOfClaim(claim) === 'Pending') await withdraw(context, claim);
    else if (phaseOfClaim(claim) === 'InUse' && users.length > 0) {
      conditions.set('BucketBlocked', 'True', 'StillUsed', `BucketClaim ${titleOf(claim)} has ${users.join(', ')}`);
      done = false;
    } else if (phaseOfClaim(claim) === 'InUse') {
      const body = { metadata: { resourceVersion: claim.metadata.resourceVersion }, status: { bindTo: '', state } };
      await client.of(BucketClaim).patch(keyOf(claim), merge(body), { signal });
    }
  }
  return done;
}
