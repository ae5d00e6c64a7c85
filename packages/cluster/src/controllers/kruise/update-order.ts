import type { Pod } from '@coxswain/k8s';
import type { UpdatePriorityStrategy, UpdateScatterTerm } from '@coxswain/k8s/kruise';
import { matchesLabels, selectorFromField } from '@coxswain/runtime/core';

function weightOf({ weightPriority = [] }: UpdatePriorityStrategy, pod: Pod): number {
  return weightPriority
    .filter(({ matchSelector }) => matchesLabels(selectorFromField(matchSelector), pod.metadata.labels))
    .reduce((sum, { weight }) => sum + weight, 0);
}

/** Which key of the list a pod has, and the number its value ends with. */
function orderOf({ orderPriority = [] }: UpdatePriorityStrategy, pod: Pod): readonly [number, number] {
  const at = orderPriority.findIndex(({ orderedKey }) => pod.metadata.labels?.[orderedKey] !== undefined);
  const value = pod.metadata.labels?.[orderPriority[at]?.orderedKey ?? ''] ?? '';
  return [at, Number(/\d+$/.exec(value)?.[0] ?? 0)];
}

/** Pods in the order in which they are updated: the heaviest first; or by the keys they have, the highest number first. Equals keep their order. */
export function byPriority(strategy: UpdatePriorityStrategy | undefined, pods: readonly Pod[]): readonly Pod[] {
  if (strategy?.weightPriority?.length) return [...pods].sort((a, b) => weightOf(strategy, b) - weightOf(strategy, a));
  if (!strategy?.orderPriority?.length) return pods;
  return [...pods].sort((a, b) => {
    const [[levelA, orderA], [levelB, orderB]] = [orderOf(strategy, a), orderOf(strategy, b)];
    return levelA - levelB || orderB - orderA;
  });
}

/** Spreads pods that have a label evenly over the order, term by term. */
export function scattered(terms: readonly UpdateScatterTerm[] | undefined, pods: readonly Pod[]): readonly Pod[] {
  let order = pods;
  for (const { key, value } of terms ?? []) {
    const has = (pod: Pod) => pod.metadata.labels?.[key] === value;
    const marked = order.filter(has);
    const others = order.filter((pod) => !has(pod));
    if (marked.length < 2 || others.length === 0) continue;
    const step = order.length / marked.length;
    const places = new Set(marked.map((_pod, index) => Math.floor(index * step)));
    order = order
      .map((_pod, place) => (places.has(place) ? marked.shift() : others.shift()))
      .filter((pod) => pod !== undefined);
  }
  return order;
}
