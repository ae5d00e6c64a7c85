import type { ActorContext } from '@coxswain/runtime/actor';
import { findSame, merge } from '@coxswain/runtime/client';
import { keyOf } from '@coxswain/runtime/core';
import { BucketClaim, LogSet } from '../api/index.ts';
import { phaseOfClaim, titleOf } from './claims.ts';
import { allClaims, type BucketScope, withdraw } from './hold.ts';
import { marksOf } from './marks.ts';
import { bucketRetention } from './retention.ts';

/**
 * Gives up the claims of a log service of which nothing runs any more: `Released`, or `Deleting`, which the claim's own controller acts on.
 * `true` when none is left, or it is itself gone for the server. While compute or transaction nodes use the data it is not given up; the condition
 * `BucketBlocked` says so.
 */
export async function releaseBucket(context: ActorContext<LogSet>, scope: BucketScope): Promise<boolean> {
  const { client, conditions, object, signal } = context;
  if (!object.spec.sharedStorage.s3) return true;
  const { namespace = '' } = object.metadata;
  const state = bucketRetention(object.spec) === 'Retain' ? 'Released' : 'Deleting';
  let done = true;
  // From the server: a claim that the cache does not show yet would stay for ever.
  const claims = await allClaims(context, scope);
  // After the list: what was bound to its name while it was there was its own, and each write is for the claim as it was listed.
  if (!(await findSame(client, LogSet, object, signal))) return true;
  for (const claim of claims) {
    if (claim.metadata.namespace !== namespace || claim.status?.bindTo !== titleOf(object)) continue;
    const phase = phaseOfClaim(claim);
    // What is at the path of one that never was the owner may be another's: it is for a person to remove.
    if (phase === 'Pending') await withdraw(context, claim);
    if (phase !== 'InUse') continue;
    const { ofSets, others } = await marksOf(context, claim, scope);
    if (ofSets.length > 0) {
      conditions.set('BucketBlocked', 'True', 'StillUsed', `BucketClaim ${titleOf(claim)} has ${ofSets.join(', ')}`);
      done = false;
    } else {
      const { resourceVersion } = claim.metadata;
      const body = { metadata: { resourceVersion, finalizers: others }, status: { bindTo: '', state } };
      await client.of(BucketClaim).patch(keyOf(claim), merge(body), { signal });
    }
  }
  return done;
}
