import type { LabelSelector, Node, Pod, PodAffinityTerm } from '@coxswain/k8s';
import { matchesLabels, selectorFromField } from '@coxswain/runtime/core';

/** The nodes and their pods at the moment of one decision. */
export interface Placement {
  readonly nodes: readonly Node[];
  podsOn(node: Node): Iterable<Pod>;
  /** Those of them that refuse company by required anti-affinity. */
  refusingOn(node: Node): Iterable<Pod>;
}

export function selects(selector: LabelSelector | undefined, pod: Pod): boolean {
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

/** Matching pods in the domain of `node`. */
export function countHere(key: string, node: Node, placement: Placement, matches: (pod: Pod) => boolean): number {
  const domain = node.metadata.labels?.[key];
  if (domain === undefined) return 0;
  let found = 0;
  for (const other of placement.nodes)
    if (other.metadata.labels?.[key] === domain) found += count(placement.podsOn(other), matches);
  return found;
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

export function termMatches(term: PodAffinityTerm, pod: Pod, other: Pod): boolean {
  const namespaces = term.namespaces?.length ? term.namespaces : [pod.metadata.namespace ?? ''];
  return namespaces.includes(other.metadata.namespace ?? '') && selects(term.labelSelector, other);
}

/** Whether a pod on the node's domain has required anti-affinity against `pod`. */
function isRefused(pod: Pod, node: Node, placement: Placement): boolean {
  return placement.nodes.some((other) => {
    for (const there of placement.refusingOn(other)) {
      const terms = there.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      for (const term of terms) {
        const domain = node.metadata.labels?.[term.topologyKey];
        if (
          domain !== undefined &&
          domain === other.metadata.labels?.[term.topologyKey] &&
          termMatches(term, there, pod)
        )
          return true;
      }
    }
    return false;
  });
}

/** Required pod affinity and anti-affinity that `node` would break. */
export function breaksPodAffinity(pod: Pod, node: Node, placement: Placement): string | undefined {
  const here = (term: PodAffinityTerm) =>
    countHere(term.topologyKey, node, placement, (other) => termMatches(term, pod, other));
  const anywhere = (term: PodAffinityTerm) =>
    placement.nodes.some((other) => count(placement.podsOn(other), (one) => termMatches(term, pod, one)) > 0);
  const { podAffinity, podAntiAffinity } = pod.spec?.affinity ?? {};
  if (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.some((term) => here(term) > 0))
    return "node(s) didn't match pod anti-affinity rules";
  if (isRefused(pod, node, placement)) return "node(s) didn't satisfy existing pods anti-affinity rules";
  // the first of a group that wants to be together may go anywhere
  const lonely = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.some(
    (term) => here(term) === 0 && !(termMatches(term, pod, pod) && !anywhere(term)),
  );
  return lonely ? "node(s) didn't match pod affinity rules" : undefined;
}
