import type { Pod } from '@coxswain/k8s';
import { createdAt, deletionCostOf, phaseRank, restartsOf } from '../workload/deletion-order.ts';
import { isPodReady, readySince } from '../workload/pods.ts';

/** What tells pods apart besides themselves. */
interface OrderFacts {
  readonly isAvailable?: (pod: Pod) => boolean;
  /** Higher goes first. */
  readonly rank?: (pod: Pod) => number;
  /** Whether the cost of deletion counts; default true. */
  readonly cost?: boolean;
}

/**
 * Which of two pods can be spared first: without a node, by phase, not available, not ready, cheaper, ranked higher, ready for a shorter time,
 * restarted more often, newer.
 */
export function byActivity({ isAvailable, rank, cost = true }: OrderFacts = {}): (a: Pod, b: Pod) => number {
  const number = (pod: Pod, of: ((pod: Pod) => boolean) | undefined) => Number(of?.(pod) ?? false);
  return (a, b) =>
    number(a, ({ spec }) => Boolean(spec?.nodeName)) - number(b, ({ spec }) => Boolean(spec?.nodeName)) ||
    phaseRank(a) - phaseRank(b) ||
    number(a, isAvailable) - number(b, isAvailable) ||
    number(a, isPodReady) - number(b, isPodReady) ||
    (cost ? deletionCostOf(a) - deletionCostOf(b) : 0) ||
    (rank ? rank(b) - rank(a) : 0) ||
    (readySince(b) ?? 0) - (readySince(a) ?? 0) ||
    (restartsOf(b)[0] ?? 0) - (restartsOf(a)[0] ?? 0) ||
    createdAt(b) - createdAt(a);
}

/** Of the pods on one node the last in order ranks nothing, the one before 1, and so on: each node gives its surplus before any gives its last. */
export function sameNodeRank(pods: readonly Pod[]): (pod: Pod) => number {
  const ranks = new Map<Pod, number>();
  const nodes = Map.groupBy(
    pods.filter(({ spec }) => spec?.nodeName),
    ({ spec }) => spec?.nodeName,
  );
  for (const siblings of nodes.values())
    for (const [index, pod] of siblings.sort(byActivity()).entries()) ranks.set(pod, siblings.length - 1 - index);
  return (pod) => ranks.get(pod) ?? 0;
}
