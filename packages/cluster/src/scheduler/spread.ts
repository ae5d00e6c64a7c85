import type { LabelSelector, Node, Pod, PodAffinityTerm } from '@coxswain/k8s';
import { matchesLabels, selectorFromField } from '@coxswain/runtime/core';

/** The nodes and their pods at the moment of one decision. */
export interface Placement {
  readonly nodes: readonly Node[];
  podsOn(node: Node): Iterable<Pod>;
}

function selects(selector: LabelSelector | undefined, pod: Pod): boolean {
  return selector !== undefined && matchesLabels(selectorFromField(selector), pod.metadata.labels);
}

function count(pods: Iterable<Pod>, matches: (pod: Pod) => boolean): number {
  let found = 0;
  for (const pod of pods) if (!pod.metadata.deletionTimestamp && matches(pod)) found++;
  return found;
}

/** Matching pods per value of a topology key, over all nodes that have the key. */
function countByDomain(key: string, placement: Placement, matches: (pod: Pod) => boolean): Map<string, number> {
  const domains = new Map<string, number>();
  for (const node of placement.nodes) {
    const domain = node.metadata.labels?.[key];
    if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + count(placement.podsOn(node), matches));
  }
  return domains;
}

/** Hard topology spread constraints that `node` would break. */
export function breaksSpread(pod: Pod, node: Node, placement: Placement): string | undefined {
  for (const constraint of pod.spec?.topologySpreadConstraints ?? []) {
    if (constraint.whenUnsatisfiable !== 'DoNotSchedule') continue;
    const domain = node.metadata.labels?.[constraint.topologyKey];
    if (domain === undefined) return "node(s) didn't match pod topology spread constraints (missing required label)";
    const namespace = pod.metadata.namespace;
    const domains = countByDomain(
      constraint.topologyKey,
      placement,
      (other) => other.metadata.namespace === namespace && selects(constraint.labelSelector, other),
    );
    const own = selects(constraint.labelSelector, pod) ? 1 : 0;
    const skew = (domains.get(domain) ?? 0) + own - Math.min(...domains.values());
    if (skew > constraint.maxSkew) return "node(s) didn't match pod topology spread constraints";
  }
  return undefined;
}

function termMatches(term: PodAffinityTerm, pod: Pod, other: Pod): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [pod.metadata.namespace ?? ''];
  return namespaces.includes(other.metadata.namespace ?? '') && selects(term.labelSelector, other);
}

/** Required pod affinity and anti-affinity that `node` would break. */
export function breaksPodAffinity(pod: Pod, node: Node, placement: Placement): string | undefined {
  const here = (term: PodAffinityTerm) => {
    const domains = countByDomain(term.topologyKey, placement, (other) => termMatches(term, pod, other));
    return domains.get(node.metadata.labels?.[term.topologyKey] ?? '') ?? 0;
  };
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.some((term) => here(term) > 0))
    return "node(s) didn't match pod anti-affinity rules";
  const lonely = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(
    (term) => here(term) === 0 && !termMatches(term, pod, pod),
  );
  return lonely ? "node(s) didn't match pod affinity rules" : undefined;
}
