import type { Pod, PodDisruptionBudget } from '@coxswain/k8s';
import type { Random } from '@coxswain/runtime/core';
import type { Trial } from '../decision.ts';
import { type Diagnosis, verdict } from '../diagnosis.ts';
import type { Rejection } from '../plugins/index.ts';
import type { ClusterState } from '../state/cluster-state.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';
import { splitByBudgets } from './budgets.ts';

/** A node that could take the pod if these pods went. */
export interface Candidate {
  readonly node: NodeInfo;
  /** The most important first. */
  readonly victims: readonly PodInfo[];
  /** How many of them a budget would rather keep. */
  readonly violations: number;
}

export interface PreemptionOptions {
  readonly state: ClusterState;
  readonly random: Random;
  readonly budgets: () => Iterable<PodDisruptionBudget>;
  /** The pod as the store has it now. */
  readonly current: (info: PodInfo) => Pod;
}

const plugin = 'DefaultPreemption';
const noVictims: Rejection = {
  plugin,
  reasons: ['No preemption victims found for incoming pod'],
  unresolvable: true,
};
const notHelpful: Rejection = {
  plugin,
  reasons: ['Preemption is not helpful for scheduling'],
  unresolvable: true,
};

/** So many candidates are looked for at least, and a tenth of the nodes in question. */
const leastCandidates = 100;

/** Milliseconds since the epoch; a pod that has not started counts as started now. */
function startOf(pod: Pod): number {
  return pod.status?.startTime ? Date.parse(pod.status.startTime) : Number.MAX_SAFE_INTEGER;
}

/** Looks for the pods whose going would make room for a more important one: as few and as unimportant as can be. */
export class Preemption {
  readonly #options: PreemptionOptions;

  constructor(options: PreemptionOptions) {
    this.#options = options;
  }

  /** Answers the best candidate, or in the words of the real scheduler why there is none. */
  find(info: PodInfo, diagnosis: Diagnosis, trial: Trial): Candidate | string {
    const { state, random } = this.#options;
    const open = state.nodes.filter(({ name }) => diagnosis.byNode.get(name)?.unresolvable === false);
    const offset = Math.floor(random.next() * open.length);
    const enough = Math.min(open.length, Math.max(leastCandidates, Math.floor(open.length / 10)));
    const budgets = [...this.#options.budgets()];
    const found: Candidate[] = [];
    const byNode = new Map<string, Rejection>();
    for (let i = 0; i < open.length; i++) {
      const node = open[(offset + i) % open.length];
      if (!node) continue;
      const outcome = this.#victimsOn(info, node, trial, budgets);
      if ('reasons' in outcome) byNode.set(node.name, outcome);
      else found.push(outcome);
      if (found.length >= enough && found.some(({ violations }) => violations === 0)) break;
    }
    return this.#best(found) ?? verdict({ total: state.nodes.length, byNode, absent: notHelpful });
  }

  /** Whether pods on the node it was promised are on their way out for this pod already. */
  isWaitingFor(info: PodInfo, node: NodeInfo): boolean {
    return [...node.pods.values()].some((other) => {
      if (other.priority >= info.priority) return false;
      const { metadata, status } = this.#options.current(other);
      const target = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
      return (
        metadata.deletionTimestamp !== undefined &&
        target?.status === 'True' &&
        target.reason === 'PreemptionByScheduler'
      );
    });
  }

  #victimsOn(
    info: PodInfo,
    node: NodeInfo,
    trial: Trial,
    budgets: readonly PodDisruptionBudget[],
  ): Candidate | Rejection {
    const lesser = [...node.pods.values()].filter(({ priority }) => priority < info.priority);
    if (lesser.length === 0) return noVictims;
    const putBack = new Map(lesser.map((other) => [other, trial.lift(other, node)]));
    const victims: PodInfo[] = [];
    try {
      const rejection = trial.check(node);
      if (rejection) return rejection;
      const { violating, others } = splitByBudgets(this.#byImportance(lesser), budgets);
      const reprieve = (other: PodInfo): boolean => {
        putBack.get(other)?.();
        putBack.delete(other);
        if (!trial.check(node)) return true;
        putBack.set(other, trial.lift(other, node));
        victims.push(other);
        return false;
      };
      const violations = violating.filter((other) => !reprieve(other)).length;
      for (const other of others) reprieve(other);
      return { node, victims: this.#byImportance(victims), violations };
    } finally {
      for (const restore of putBack.values()) restore();
    }
  }

  #byImportance(pods: readonly PodInfo[]): PodInfo[] {
    const start = (info: PodInfo) => startOf(this.#options.current(info));
    return [...pods].sort((a, b) => b.priority - a.priority || start(a) - start(b));
  }

  #best(candidates: readonly Candidate[]): Candidate | undefined {
    // the fewer points the better, and the next rule decides only among equals
    const rules: readonly ((candidate: Candidate) => number)[] = [
      ({ violations }) => violations,
      ({ victims }) => victims[0]?.priority ?? 0,
      ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
      ({ victims }) => victims.length,
      (candidate) => -this.#earliestStart(candidate),
    ];
    let left = candidates;
    for (const rule of rules) {
      const least = Math.min(...left.map(rule));
      left = left.filter((candidate) => rule(candidate) === least);
    }
    return left[0];
  }

  /** When the first of the most important victims started. */
  #earliestStart({ victims }: Candidate): number {
    const top = victims.filter(({ priority }) => priority === victims[0]?.priority);
    return Math.min(...top.map((info) => startOf(this.#options.current(info))));
  }
}
