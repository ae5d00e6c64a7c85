import type { CNClaim } from '../api/index.ts';
import { type ClaimedPod, compareDeletion } from './claim-deletion-order.ts';

/** What a claim set has to do to its claims. */
export interface ClaimSetPlan {
  readonly create: number;
  readonly remove: readonly CNClaim[];
}

const phaseIs =
  (phase: string) =>
  ({ claim }: ClaimedPod) =>
    claim.status?.phase === phase;

/**
 * What to create and what to delete. Claims with outdated pods are replaced one by one: one more is made first, and one goes
 * when that has its pod. Claims whose sessions are on the move stay. Surplus goes at once, also while claims wait (upstream waits).
 */
export function planClaimSet(replicas: number, owned: readonly ClaimedPod[]): ClaimSetPlan {
  const updated = owned.filter(phaseIs('Bound')).length;
  const ready = updated + owned.filter(phaseIs('Outdated')).length;
  const wanted = Math.max(0, replicas) + (ready === replicas && updated < replicas ? 1 : 0);
  const removable = owned.filter(({ claim }) => !claim.spec?.sourcePod?.podName).toSorted(compareDeletion);
  const remove = removable.slice(0, Math.max(0, owned.length - wanted)).map(({ claim }) => claim);
  return { create: Math.max(0, wanted - owned.length), remove };
}
