import type { BucketClaim } from '../api/index.ts';
import { type BucketPlace, isSamePlace, placesOverlap } from '../identity/index.ts';
import { isLeaving, phaseOfClaim, placeOfClaim } from './claims.ts';

/** Who wants a path. */
export interface Claimant {
  /** `namespace/name`. */
  readonly owner: string;
  readonly namespace: string;
  /** Name of the claim it makes for itself. */
  readonly claimName: string;
  readonly place: BucketPlace;
  /** Whether its workload is there: then it is never sent away. */
  readonly started: boolean;
}

/**
 * What a log service does about its path next:
 * - `hold`: it is alone there: its pending claim may become `InUse`.
 * - `create`, `rebind`: makes a pending claim, or takes over one that is `Released`. Then it looks again.
 * - `withdraw`: somebody was first. Its claim goes.
 * - `wait`: somebody is there, or is on his way out.
 * - `held`: it is the owner already.
 */
export type Decision =
  | { readonly kind: 'held' | 'hold' | 'rebind'; readonly claim: BucketClaim }
  | { readonly kind: 'create' }
  | { readonly kind: 'withdraw'; readonly claim: BucketClaim; readonly rival: BucketClaim }
  | { readonly kind: 'wait'; readonly rival: BucketClaim };

/** Of those that claim a path at once, the first in this order gets it; any order would do that everybody sees alike. */
function byAge(a: BucketClaim, b: BucketClaim): number {
  const [ageA, ageB] = [a, b].map(({ metadata }) => `${metadata.creationTimestamp} ${metadata.uid}`);
  return (ageA ?? '') < (ageB ?? '') ? -1 : 1;
}

/**
 * Decides from all claims there are. A pending claim becomes `InUse` only by one who saw, after he had made it, that he is alone; so of two
 * that look, the later one sees the other, however their steps interleave. Who starts nothing before that never shares a path.
 * @param claims as the server has them now: a cache may not show a rival yet
 */
export function decideClaim(claims: readonly BucketClaim[], me: Claimant): Decision {
  const isMine = (claim: BucketClaim) =>
    claim.metadata.namespace === me.namespace &&
    claim.status?.bindTo === me.owner &&
    isSamePlace(placeOfClaim(claim), me.place);
  const mine = claims.filter((claim) => isMine(claim) && ['Pending', 'InUse'].includes(phaseOfClaim(claim)));
  const held = mine.find((claim) => phaseOfClaim(claim) === 'InUse');
  if (held) return { kind: 'held', claim: held };
  // Data that is to go is not removed under one that runs, so who runs need not wait for that.
  const isOver = (claim: BucketClaim) => me.started && phaseOfClaim(claim) === 'Deleting';
  const rivals = claims
    .filter((claim) => !mine.includes(claim) && isRival(claim, me.place) && !isOver(claim))
    .sort(byAge);
  const [pending] = mine.sort(byAge);
  if (!pending) return begin(claims, rivals, me);
  const before = rivals.find((rival) => phaseOfClaim(rival) !== 'Pending' || byAge(rival, pending) < 0);
  if (before) return me.started ? { kind: 'wait', rival: before } : { kind: 'withdraw', claim: pending, rival: before };
  const [after] = rivals;
  return after ? { kind: 'wait', rival: after } : { kind: 'hold', claim: pending };
}

/** Without a claim. One whose workload runs makes one in any case, so that nobody else starts at its path. */
function begin(claims: readonly BucketClaim[], rivals: readonly BucketClaim[], me: Claimant): Decision {
  const [rival] = rivals;
  if (rival && !me.started) return { kind: 'wait', rival };
  const own = claims.filter(({ metadata }) => metadata.namespace === me.namespace);
  const released = own.filter((claim) => isFree(claim, me.place)).sort(byAge)[0];
  if (released) return { kind: 'rebind', claim: released };
  const leaving = own.find(({ metadata }) => metadata.name === me.claimName);
  return leaving ? { kind: 'wait', rival: leaving } : { kind: 'create' };
}

function isRival(claim: BucketClaim, place: BucketPlace): boolean {
  const phase = phaseOfClaim(claim);
  return phase !== 'Released' && phase !== 'Dropped' && placesOverlap(placeOfClaim(claim), place);
}

/** Whether a claim to exactly this place is nobody's and may be taken over. */
export function isFree(claim: BucketClaim, place: BucketPlace): boolean {
  return phaseOfClaim(claim) === 'Released' && !isLeaving(claim) && isSamePlace(placeOfClaim(claim), place);
}
