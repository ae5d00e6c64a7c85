import type { AffinityTerm } from '../state/affinity-term.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import type { Cycle, NodeFilter, NodeScores, Plugin, Rejection } from './types.ts';

const name = 'InterPodAffinity';
const notNear: Rejection = { plugin: name, reasons: ["node(s) didn't match pod affinity rules"], unresolvable: true };
const notApart: Rejection = {
  plugin: name,
  reasons: ["node(s) didn't match pod anti-affinity rules"],
  unresolvable: false,
};
const repelled: Rejection = {
  plugin: name,
  reasons: ["node(s) didn't satisfy existing pods anti-affinity rules"],
  unresolvable: false,
};

/** Counts by label and value of nodes. */
class Domains {
  readonly #counts = new Map<string, Map<string, number>>();

  add(key: string, node: NodeInfo | undefined, by: number): void {
    const domain = node?.label(key);
    if (domain === undefined) return;
    const counts = this.#counts.get(key) ?? new Map<string, number>();
    this.#counts.set(key, counts);
    const sum = (counts.get(domain) ?? 0) + by;
    if (sum === 0) counts.delete(domain);
    else counts.set(domain, sum);
    if (counts.size === 0) this.#counts.delete(key);
  }

  at(key: string, node: NodeInfo): number {
    const domain = node.label(key);
    return domain === undefined ? 0 : (this.#counts.get(key)?.get(domain) ?? 0);
  }

  get empty(): boolean {
    return this.#counts.size === 0;
  }

  /** Sum over all labels of a node. */
  sumAt(node: NodeInfo): number {
    let sum = 0;
    for (const [key, counts] of this.#counts) sum += counts.get(node.label(key) ?? '') ?? 0;
    return sum;
  }

  hits(node: NodeInfo): boolean {
    for (const [key, counts] of this.#counts) {
      const domain = node.label(key);
      if (domain !== undefined && (counts.get(domain) ?? 0) > 0) return true;
    }
    return false;
  }
}

/** Adds, for each node, the pods there that match all (or one) of the terms. */
function addMatching({ state }: Cycle, terms: readonly AffinityTerm[], all: boolean, domains: Domains): void {
  const labels = state.namespaceLabels.bind(state);
  const groups = all ? [terms] : terms.map((term) => [term]);
  for (const group of groups) {
    if (group.length === 0) continue;
    const key = `near ${group.map((term) => term.key).join(' ')}`;
    const counts = state.counts(key, (pod) => group.every((term) => term.matches(pod, labels)));
    for (const [node, count] of counts)
      for (const { topologyKey } of group) domains.add(topologyKey, state.node(node), count);
  }
}

class Rules implements NodeFilter {
  readonly #cycle: Cycle;
  readonly #near = new Domains();
  readonly #apart = new Domains();
  readonly #repelling = new Domains();
  readonly #selfMatches: boolean;

  constructor(cycle: Cycle) {
    const { info, state } = cycle;
    this.#cycle = cycle;
    const { near, apart } = info.affinities;
    addMatching(cycle, near, true, this.#near);
    addMatching(cycle, apart, false, this.#apart);
    for (const [term, byNode] of state.repelling)
      if (this.#matches(term, info))
        for (const [node, weight] of byNode) this.#repelling.add(term.topologyKey, state.node(node), weight);
    this.#selfMatches = near.every((term) => this.#matches(term, info));
  }

  /** Whether any node could be refused. */
  get needed(): boolean {
    const { near, apart } = this.#cycle.info.affinities;
    return near.length > 0 || apart.length > 0 || !this.#repelling.empty;
  }

  check(node: NodeInfo): Rejection | undefined {
    const { near, apart } = this.#cycle.info.affinities;
    if (near.length > 0 && !this.#isNear(node, near)) return notNear;
    for (const { topologyKey } of apart) if (this.#apart.at(topologyKey, node) > 0) return notApart;
    return this.#repelling.hits(node) ? repelled : undefined;
  }

  change = ({ pod, affinities }: PodInfo, node: NodeInfo, by: 1 | -1): void => {
    const { info } = this.#cycle;
    const { near, apart } = info.affinities;
    const other = { pod };
    if (near.length > 0 && near.every((term) => this.#matches(term, other)))
      for (const { topologyKey } of near) this.#near.add(topologyKey, node, by);
    for (const term of apart) if (this.#matches(term, other)) this.#apart.add(term.topologyKey, node, by);
    for (const term of affinities.apart) if (this.#matches(term, info)) this.#repelling.add(term.topologyKey, node, by);
  };

  #isNear(node: NodeInfo, near: readonly AffinityTerm[]): boolean {
    if (near.some(({ topologyKey }) => node.label(topologyKey) === undefined)) return false;
    if (near.every(({ topologyKey }) => this.#near.at(topologyKey, node) > 0)) return true;
    // the first of a group that wants to be together may go anywhere
    return this.#near.empty && this.#selfMatches;
  }

  #matches(term: AffinityTerm, { pod }: Pick<PodInfo, 'pod'>): boolean {
    return term.matches(pod, (namespace) => this.#cycle.state.namespaceLabels(namespace));
  }
}

function hardFilter(cycle: Cycle): NodeFilter | undefined {
  if (cycle.info.plain && cycle.state.repelling.size === 0) return undefined;
  const rules = new Rules(cycle);
  return rules.needed ? rules : undefined;
}

function softScores(cycle: Cycle, nodes: readonly NodeInfo[]): NodeScores | undefined {
  const { info, state } = cycle;
  const { wishes } = info.affinities;
  if (wishes.length === 0 && state.attracting.size === 0) return undefined;
  const labels = state.namespaceLabels.bind(state);
  const domains = new Domains();
  for (const { term, weight } of wishes) {
    const counts = state.counts(`near ${term.key}`, (pod) => term.matches(pod, labels));
    for (const [node, count] of counts) domains.add(term.topologyKey, state.node(node), count * weight);
  }
  for (const [term, byNode] of state.attracting)
    if (term.matches(info.pod, labels))
      for (const [node, weight] of byNode) domains.add(term.topologyKey, state.node(node), weight);
  if (domains.empty) return undefined;
  const points = nodes.map((node) => domains.sumAt(node));
  const least = points.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const range = points.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY) - least;
  return points.map((point) => (range > 0 ? Math.trunc((100 * (point - least)) / range) : 0));
}

/** Whether the required terms of one of two pods speak of the other. */
export function affinityConcerns(info: PodInfo, other: PodInfo, state: ClusterState): boolean {
  const labels = state.namespaceLabels.bind(state);
  const { near, apart } = info.affinities;
  return (
    [...near, ...apart].some((term) => term.matches(other.pod, labels)) ||
    other.affinities.apart.some((term) => term.matches(info.pod, labels))
  );
}

/** Pods near to, or apart from, other pods: what the pod wants, and what those want that are there already. */
export const interPodAffinity: Plugin = { name, filter: hardFilter, weight: 2, score: softScores };
