import type { Random } from '@coxswain/runtime/core';
import type { Diagnosis } from './diagnosis.ts';
import type { Nominations } from './nominations.ts';
import { type Cycle, isRejection, type Lookups, type NodeFilter, plugins, type Rejection } from './plugins/index.ts';
import type { ClusterState } from './state/cluster-state.ts';
import type { NodeInfo } from './state/node-info.ts';
import type { PodInfo } from './state/pod-info.ts';

/** What became of the search for a node. */
export type Decision =
  | { readonly kind: 'node'; readonly node: NodeInfo }
  | { readonly kind: 'none'; readonly diagnosis: Diagnosis; readonly trial: Trial };

export interface DeciderOptions {
  readonly state: ClusterState;
  readonly lookups: Lookups;
  readonly nominations: Nominations;
  /** Breaks ties between equally good nodes. */
  readonly random: Random;
}

/** In a cluster of fewer nodes all are asked. */
const fewNodes = 100;

/** How many nodes that can take a pod are enough to choose from: in large clusters half, and less the larger they are. */
function enough(nodes: number): number {
  if (nodes < fewNodes) return nodes;
  const percentage = Math.max(5, 50 - Math.floor(nodes / 125));
  return Math.max(fewNodes, Math.floor((nodes * percentage) / 100));
}

/** The rules of one pod, to be held against nodes. */
export class Trial {
  readonly #info: PodInfo;
  readonly #options: DeciderOptions;
  readonly #filters: readonly NodeFilter[];

  constructor(info: PodInfo, options: DeciderOptions, filters: readonly NodeFilter[]) {
    this.#info = info;
    this.#options = options;
    this.#filters = filters;
  }

  /** Why a node cannot take the pod, those counted in who have been promised the node; `undefined` when it can. */
  check(node: NodeInfo): Rejection | undefined {
    const promised = this.#options.nominations.before(this.#info, node.name);
    if (promised.length === 0) return this.#ask(node);
    for (const other of promised) this.#put(other, node);
    const rejection = this.#ask(node);
    for (const other of promised) this.#takeAway(other, node);
    // they may be company that the pod needs, and not come after all
    return rejection ?? this.#ask(node);
  }

  /** Takes a pod off its node for a while; the function returned puts it back. */
  lift(other: PodInfo, node: NodeInfo): () => void {
    const putBack = this.#options.state.lift(other);
    this.#tell(other, node, -1);
    return () => {
      putBack();
      this.#tell(other, node, 1);
    };
  }

  #ask(node: NodeInfo): Rejection | undefined {
    for (const filter of this.#filters) {
      const rejection = filter.check(node);
      if (rejection) return rejection;
    }
    return undefined;
  }

  #put(other: PodInfo, node: NodeInfo): void {
    this.#options.state.assume(other, node.name);
    this.#tell(other, node, 1);
  }

  #takeAway(other: PodInfo, node: NodeInfo): void {
    this.#options.state.forget(other);
    this.#tell(other, node, -1);
  }

  #tell(other: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const filter of this.#filters) filter.change?.(other, node, by);
  }
}

/** Finds the best node for a pod, in the world as it is known now. */
export class Decider {
  readonly #options: DeciderOptions;
  /** Where the search goes on for the next pod, so that all nodes are asked as often. */
  #start = 0;

  constructor(options: DeciderOptions) {
    this.#options = options;
  }

  decide(info: PodInfo): Decision {
    const { state, lookups } = this.#options;
    const cycle: Cycle = { info, state, lookups };
    const filters: NodeFilter[] = [];
    const total = state.nodes.length;
    for (const plugin of plugins) {
      const outcome = plugin.filter?.(cycle);
      if (!outcome) continue;
      if (isRejection(outcome)) {
        const diagnosis = { total, all: outcome, byNode: new Map() };
        return { kind: 'none', diagnosis, trial: new Trial(info, this.#options, []) };
      }
      filters.push(outcome);
    }
    const trial = new Trial(info, this.#options, filters);
    const promised = this.#promised(info);
    if (promised && !trial.check(promised)) return { kind: 'node', node: promised };
    const { fit, byNode, absent } = this.#search(trial, onlyOf(filters));
    if (fit.length === 0) {
      return { kind: 'none', diagnosis: { total, byNode, ...(absent ? { absent } : {}) }, trial };
    }
    return { kind: 'node', node: this.#best(cycle, fit) };
  }

  #promised({ key, pod }: PodInfo): NodeInfo | undefined {
    const name = this.#options.nominations.nodeOf(key) ?? pod.status?.nominatedNodeName;
    return name ? this.#options.state.node(name) : undefined;
  }

  #search(trial: Trial, only: ReadonlySet<string> | undefined) {
    const { state } = this.#options;
    const all = state.nodes;
    const nodes = only ? [...only].flatMap((name) => state.node(name) ?? []) : all;
    const wanted = enough(nodes.length);
    const fit: NodeInfo[] = [];
    const byNode = new Map<string, Rejection>();
    for (let i = 0; i < nodes.length && fit.length < wanted; i++) {
      const node = nodes[(this.#start + i) % nodes.length];
      if (!node) continue;
      const rejection = trial.check(node);
      if (rejection) byNode.set(node.name, rejection);
      else fit.push(node);
    }
    this.#start = all.length > 0 ? (this.#start + fit.length + byNode.size) % all.length : 0;
    return { fit, byNode, ...(only ? { absent: notNamed } : {}) };
  }

  #best(cycle: Cycle, nodes: readonly NodeInfo[]): NodeInfo {
    const sums = new Float64Array(nodes.length);
    if (nodes.length > 1)
      for (const { score, weight = 1 } of plugins) {
        const points = score?.(cycle, nodes);
        if (points) for (let i = 0; i < sums.length; i++) sums[i] = (sums[i] ?? 0) + weight * (points[i] ?? 0);
      }
    let most = Number.NEGATIVE_INFINITY;
    let best: NodeInfo[] = [];
    nodes.forEach((node, i) => {
      const sum = sums[i] ?? 0;
      if (sum > most) best = [];
      if (sum >= most) best.push(node);
      most = Math.max(most, sum);
    });
    const chosen = best[Math.floor(this.#options.random.next() * best.length)] ?? nodes[0];
    if (!chosen) throw new Error('a node is chosen from at least one');
    return chosen;
  }
}

const notNamed: Rejection = {
  plugin: 'NodeAffinity',
  reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"],
  unresolvable: true,
};

/** The nodes that all filters leave open. */
function onlyOf(filters: readonly NodeFilter[]): ReadonlySet<string> | undefined {
  return filters.reduce<ReadonlySet<string> | undefined>(
    (found, { only }) => (found && only ? found.intersection(only) : (found ?? only)),
    undefined,
  );
}
