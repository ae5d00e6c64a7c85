import type { AffinityTerm } from './affinity-term.ts';

interface Entry {
  readonly term: AffinityTerm;
  /** Sum of weights of the pods that have the term, by node. */
  readonly byNode: Map<string, { weight: number; holders: number }>;
}

/** The terms of placed pods, each distinct one once: what a workload says is asked once, however many pods it has. */
export class TermIndex {
  readonly #entries = new Map<string, Entry>();

  change(term: AffinityTerm, node: string, weight: number, by: 1 | -1): void {
    const entry = this.#entries.get(term.key) ?? { term, byNode: new Map() };
    this.#entries.set(term.key, entry);
    const there = entry.byNode.get(node) ?? { weight: 0, holders: 0 };
    there.weight += by * weight;
    there.holders += by;
    if (there.holders > 0) entry.byNode.set(node, there);
    else entry.byNode.delete(node);
    if (entry.byNode.size === 0) this.#entries.delete(term.key);
  }

  get size(): number {
    return this.#entries.size;
  }

  *[Symbol.iterator](): IterableIterator<readonly [AffinityTerm, Iterable<readonly [node: string, weight: number]>]> {
    for (const { term, byNode } of this.#entries.values()) yield [term, weights(byNode)];
  }
}

function* weights(byNode: Entry['byNode']): IterableIterator<readonly [string, number]> {
  for (const [node, { weight }] of byNode) yield [node, weight];
}
