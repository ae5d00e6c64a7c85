import type { Pod } from '@coxswain/k8s';
import { isPodReady, readySince } from './pods.ts';

const deletionCost = 'controller.kubernetes.io/pod-deletion-cost';

export function phaseRank(pod: Pod): number {
  return { Pending: 0, Unknown: 1, Running: 2 }[pod.status?.phase ?? 'Pending'] ?? 2;
}

export function deletionCostOf(pod: Pod): number {
  const text = pod.metadata.annotations?.[deletionCost] ?? '';
  return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : 0;
}

/** The most restarts of a container, and of a sidecar. */
export function restartsOf({ spec, status }: Pod): readonly [number, number] {
  const most = (counts: readonly { readonly restartCount: number }[] = []) =>
    Math.max(0, ...counts.map(({ restartCount }) => restartCount));
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  return [
    most(status?.containerStatuses),
    most(status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name))),
  ];
}

/** The order of magnitude of an age, in nanoseconds. */
function ageBucket(since: number, now: number): number {
  const age = (now - since) * 1e6;
  return age > 0 ? Math.floor(Math.log2(age)) : -1;
}

function byUid(a: Pod, b: Pod): number {
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1;
}

/** The younger first; of about the same age, chance (the uid) decides, so that victims are spread. */
function byAge(a: Pod, b: Pod, since: (pod: Pod) => number, now: number): number {
  if (since(a) === since(b)) return 0;
  return ageBucket(since(a), now) - ageBucket(since(b), now) || byUid(a, b);
}

export function createdAt(pod: Pod): number {
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
    deletionCostOf(a) - deletionCostOf(b) ||
    crowd(b) - crowd(a) ||
    byAge(a, b, (pod) => readySince(pod) ?? 0, now) ||
    moreRestarts(a, b) ||
    byAge(a, b, createdAt, now) ||
    byUid(a, b);
}

function moreRestarts(a: Pod, b: Pod): number {
  const [[ofA, sidecarsOfA], [ofB, sidecarsOfB]] = [restartsOf(a), restartsOf(b)];
  return ofB - ofA || sidecarsOfB - sidecarsOfA;
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
