import type { Pod } from '@coxswain/k8s';
import { isLeaving, LABEL_DIRECT_POD, phaseOf } from '../api/index.ts';

/** The pods that a set of a pool has OpenKruise keep, by what they are for. */
export interface PoolCensus {
  /** `Bound` or `Draining`. */
  readonly inUse: readonly Pod[];
  /** `Unknown` or `Idle`: they may be claimed, or chosen to go. */
  readonly free: readonly Pod[];
  /** `Terminating`. */
  readonly terminating: readonly Pod[];
}

/**
 * Sorts pods by what they are for; those on their way out count nowhere, and pods that others made neither: OpenKruise would make one more of its
 * own for each.
 */
export function census(pods: readonly Pod[]): PoolCensus {
  const live = pods.filter((pod) => !isLeaving(pod) && pod.metadata.labels?.[LABEL_DIRECT_POD] === undefined);
  const are = (...phases: readonly string[]) => live.filter((pod) => phases.includes(phaseOf(pod)));
  return { inUse: are('Bound', 'Draining'), free: are('Unknown', 'Idle'), terminating: are('Terminating') };
}

export interface Demand {
  /** Pods of the newest set that serve, or still have sessions. */
  readonly inUse: number;
  /** Claims that wait for a pod of this pool. */
  readonly pending: number;
  readonly maxIdle: number;
  /** Absent: no limit. */
  readonly maxPods: number | undefined;
  /** Pods in use that belong to earlier revisions. */
  readonly legacy: number;
}

/**
 * How many pods the newest set shall have: those in use, one for each claim that waits, and `maxIdle` more. `maxPods` limits what is
 * added; it takes away no pod in use, and stops no scale-in (upstream does nothing at all when it is reached).
 */
export function desiredPods({ inUse, pending, maxIdle, maxPods, legacy }: Demand): number {
  const wanted = inUse + Math.max(0, pending) + Math.max(0, maxIdle);
  return maxPods === undefined ? wanted : Math.min(wanted, Math.max(inUse, maxPods - legacy));
}

/** How many free pods are too many. None while claims wait: they may be about to take them. */
export function surplus({ free, inUse }: PoolCensus, desired: number, pending: number): number {
  return pending > 0 ? 0 : Math.max(0, free.length + inUse.length - desired);
}

/** The replicas to ask for: never fewer than pods that were not chosen to go, so that nobody else chooses among those. */
export function replicasFor({ free, inUse }: PoolCensus, desired: number): number {
  return Math.max(desired, free.length + inUse.length);
}
