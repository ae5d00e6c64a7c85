import type { Pod } from '@coxswain/k8s';
import type { PodInfo } from './pod-info.ts';

/** How many pods of a sort each node has; nodes without any are left out. */
export type CountsByNode = ReadonlyMap<string, number>;

interface Counter {
  readonly matches: (pod: Pod) => boolean;
  readonly byNode: Map<string, number>;
}

/** Counters kept at most. Which are asked again and again is a matter of workloads, not of pods. */
const limit = 256;

/**
 * Counts pods by questions that come again: the first time all pods are looked at, from then on each count follows the pods that come
 * and go.
 */
export class PodCounters {
  readonly #counters = new Map<string, Counter>();

  /**
   * @param key the same for the same question
   * @param placed all pods, with their nodes; read only when the question is new
   */
  counts(key: string, matches: (pod: Pod) => boolean, placed: Iterable<readonly [PodInfo, string]>): CountsByNode {
    const known = this.#counters.get(key);
    if (known) {
      this.#counters.delete(key);
      this.#counters.set(key, known);
      return known.byNode;
    }
    const counter: Counter = { matches, byNode: new Map() };
    for (const [info, node] of placed) count(counter, info, node, 1);
    this.#counters.set(key, counter);
    const oldest = this.#counters.keys().next().value;
    if (this.#counters.size > limit && oldest !== undefined) this.#counters.delete(oldest);
    return counter.byNode;
  }

  change(info: PodInfo, node: string, by: 1 | -1): void {
    for (const counter of this.#counters.values()) count(counter, info, node, by);
  }

  /** What was asked may have another answer now for a reason that lies outside of pods. */
  clear(): void {
    this.#counters.clear();
  }
}

function count({ matches, byNode }: Counter, { pod }: PodInfo, node: string, by: 1 | -1): void {
  if (!matches(pod)) return;
  const sum = (byNode.get(node) ?? 0) + by;
  if (sum > 0) byNode.set(node, sum);
  else byNode.delete(node);
}
