import type { Pod } from '@coxswain/k8s';
import type { CNClaim } from './cnclaim.ts';

/** Marks of pools on pods, claims and sets. Other software selects by them: they must never change. */
export const LABEL_PHASE = 'pool.matrixorigin.io/phase';
export const LABEL_POOL = 'pool.matrixorigin.io/pool-name';
export const LABEL_CLAIMED_BY = 'pool.matrixorigin.io/claimed-by';
/** On a pod that somebody else made, `y`. */
export const LABEL_DIRECT_POD = 'pool.matrixorigin.io/direct-pod';
export const LABEL_OWNER = 'matrixorigin.io/owner';
export const LABEL_LAST_OWNER = 'matrixorigin.io/last-owner';
export const LABEL_CLAIM_SET = 'matrixorigin.io/claimset';
/** On pods of an earlier revision of their pool, `y`. */
export const LABEL_OUTDATED = 'matrixorigin.io/outdated';
/** On claims that a claim set made. */
export const LABEL_INSTANCE_ID = 'claim.matrixorigin.io/instance-id';
export const LABEL_MANAGED_BY = 'matrixorigin.io/managed-by';
export const LABEL_OWNER_UID = 'matrixorigin.io/owner-uid';
export const LABEL_REVISION = 'controller-revision-hash';
export const ANNOTATION_RECLAIMED_AT = 'matrixorigin.io/reclaimed-at';
export const ANNOTATION_DELETE_ON_RECLAIM = 'matrixorigin.io/delete-on-reclaim';

export const FINALIZER_CN_CLAIM = 'matrixorigin.io/cn-claim-manager';
export const FINALIZER_CN_CLAIM_SET = 'matrixorigin.io/cn-claimset-manager';
export const FINALIZER_CN_POOL = 'matrixorigin.io/cn-pool-manager';

/**
 * Where a pod of a pool is in its life:
 * - `Unknown`: its cluster does not know it yet.
 * - `Idle`: waits for a claim.
 * - `Bound`: serves a claim.
 * - `Draining`: was given back, still has sessions.
 * - `Terminating`: chosen to go; no claim takes it any more.
 */
export type PodPhase = 'Unknown' | 'Idle' | 'Bound' | 'Draining' | 'Terminating';

const phases: ReadonlySet<string | undefined> = new Set(['Idle', 'Bound', 'Draining', 'Terminating']);

/** A pod's phase in its pool; a label that is missing or says something else counts as `Unknown`. */
export function phaseOf(pod: Pod): PodPhase {
  const phase = pod.metadata.labels?.[LABEL_PHASE];
  return phases.has(phase) ? (phase as PodPhase) : 'Unknown';
}

/** Name of the claim that a pod is for, by its label. */
export function claimantOf(pod: Pod): string | undefined {
  return pod.metadata.labels?.[LABEL_CLAIMED_BY] || undefined;
}

/** Name of the pod that a claim is bound to; `undefined` while it has none. */
export function podOf(claim: CNClaim): string | undefined {
  return claim.spec?.podName || undefined;
}

/** Whether an object is on its way out. */
export function isLeaving({ metadata }: Pod | CNClaim): boolean {
  return metadata.deletionTimestamp !== undefined;
}
