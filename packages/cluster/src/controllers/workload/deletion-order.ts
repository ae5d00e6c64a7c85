import type { Pod } from '@coxswain/k8s';
import { isPodReady, readySince } from './pods.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

function phaseRank(pod: Pod): number {
  return { Pending: 0, Unknown: 1, Running: 2 }[pod.status?.phase ?? 'Pending'] ?? 2;
}

function cost(pod: Pod): number {
  return Number(pod.metadata.annotations?.[deletionCost] ?? 0) || 0;
}

function restarts(pod: Pod): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map(({ restartCount }) => restartCount));
}

/** The order of magnitude of an age: pods of about the same age count as equal, so that chance spreads the victims. */
function ageBucket(since: number | undefined, now: number): number {
  return since === undefined ? -1 : Math.floor(Math.log2(Math.max(1, now - since)));
}

function created(pod: Pod): number {
  return Date.parse(pod.metadata.creationTimestamp ?? '') || 0;
}

/**
 * Which of two pods goes first when a set shrinks (`spec/embedded.md` §2.1): without a node, by phase, not ready, cheaper
 * by `pod-deletion-cost`, on a node with more siblings, ready for a shorter time (by order of magnitude), restarted more often,
 * newer (likewise). Equals are told apart by uid.
 * @param siblings pods of the set by node
 */
export function byDeletionOrder(siblings: ReadonlyMap<string, number>, now: number): (a: Pod, b: Pod) => number {
  const crowd = (pod: Pod) => siblings.get(pod.spec?.nodeName ?? '') ?? 0;
  return (a, b) =>
    Number(Boolean(a.spec?.nodeName)) - Number(Boolean(b.spec?.nodeName)) ||
    phaseRank(a) - phaseRank(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    cost(a) - cost(b) ||
    crowd(b) - crowd(a) ||
    ageBucket(readySince(a), now) - ageBucket(readySince(b), now) ||
    restarts(b) - restarts(a) ||
    ageBucket(created(a), now) - ageBucket(created(b), now) ||
    ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1);
}

/** How many pods of a set each node has. */
export function countByNode(pods: readonly Pod[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const node = pod.spec?.nodeName ?? '';
    counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  return counts;
}
