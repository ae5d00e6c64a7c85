import type { Node, Pod } from '@coxswain/k8s';
import { termHolds, tolerated } from './filters.ts';
import { countHere, type Placement, selects, termMatches } from './spread.ts';

/** Share of the weighted wishes that `node` fulfils, between 0 and 1. */
function affinityShare(pod: Pod, node: Node): number {
  const terms = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const all = terms.reduce((sum, { weight }) => sum + weight, 0);
  const held = terms.filter(({ preference: term }) => termHolds(term, node)).reduce((sum, one) => sum + one.weight, 0);
  return all > 0 ? held / all : 0;
}

/** What preferred pod affinity and anti-affinity say for (and against) `node`: weight times pods, scaled down. */
function company(pod: Pod, node: Node, placement: Placement): number {
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  const points = (terms: NonNullable<typeof podAffinity>['preferredDuringSchedulingIgnoredDuringExecution']) =>
    (terms ?? []).reduce(
      (sum, { weight, podAffinityTerm: term }) =>
        sum + weight * countHere(term.topologyKey, node, placement, (other) => termMatches(term, pod, other)),
      0,
    );
  const { preferredDuringSchedulingIgnoredDuringExecution: near } = podAffinity ?? {};
  const { preferredDuringSchedulingIgnoredDuringExecution: far } = podAntiAffinity ?? {};
  return (points(near) - points(far)) / 10;
}

/** Soft topology spread: the fewer matching pods in the node's domain, the better. */
function spreadPoints(pod: Pod, node: Node, placement: Placement): number {
  const soft = (pod.spec?.topologySpreadConstraints ?? []).filter((one) => one.whenUnsatisfiable === 'ScheduleAnyway');
  return soft.reduce((sum, { topologyKey, labelSelector }) => {
    const matches = (other: Pod) =>
      other.metadata.namespace === pod.metadata.namespace && selects(labelSelector, other);
    return sum - countHere(topologyKey, node, placement, matches);
  }, 0);
}

/** How much a pod would like a node that can take it: more is better, 0 when it does not care. */
export function preference(pod: Pod, node: Node, placement: Placement): number {
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect === 'PreferNoSchedule' && !tolerated(pod, taint),
  );
  return (
    2 * affinityShare(pod, node) +
    company(pod, node, placement) +
    spreadPoints(pod, node, placement) -
    3 * untolerated.length
  );
}
