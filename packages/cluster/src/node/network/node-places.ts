import type { Node } from '@coxswain/k8s';
import { type AddressBlock, lastNode } from './addresses/block.ts';
import type { PodRange } from './addresses/pod-range.ts';
import { NetworkError } from './errors.ts';
import type { NodePlace } from './types.ts';

/** Which node has which part of the cluster's addresses. */
export class NodePlaces {
  readonly #block: AddressBlock;
  readonly #range: PodRange;
  readonly #indexes = new Map<string, number>();
  /** Addresses of the nodes that have joined, by name. */
  readonly addresses = new Map<string, string>();

  /**
   * @param nodes what an earlier start left in the cluster: they keep their places
   * @param range of the addresses of pods; default: the block's
   */
  constructor(block: AddressBlock, nodes: Iterable<Node>, range: PodRange = block) {
    this.#block = block;
    this.#range = range;
    const known = new Map(Array.from({ length: lastNode }, (_, i) => [block.nodeAddress(i + 1), i + 1]));
    for (const { metadata, status } of nodes) {
      const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
      const index = known.get(address);
      if (index !== undefined) this.#indexes.set(metadata.name, index);
    }
  }

  /** @throws NetworkError when all places are taken */
  join(node: string): NodePlace {
    const index = this.#indexes.get(node) ?? this.#free();
    const prefix = this.#range.podPrefix(index);
    if (prefix === undefined)
      throw new NetworkError(`the range of pods has no room for node ${node}: give it a larger one, or fewer nodes`);
    this.#indexes.set(node, index);
    const address = this.#block.nodeAddress(index);
    this.addresses.set(node, address);
    return { address, podRange: `${prefix}.0/24` };
  }

  leave(node: string): void {
    this.#indexes.delete(node);
    this.addresses.delete(node);
  }

  /** The first three numbers of the addresses of a node's pods. */
  podPrefix(node: string): string | undefined {
    const index = this.#indexes.get(node);
    return index === undefined ? undefined : this.#range.podPrefix(index);
  }

  #free(): number {
    const taken = new Set(this.#indexes.values());
    for (let index = 1; index <= lastNode; index++) if (!taken.has(index)) return index;
    throw new NetworkError(`a cluster has room for ${lastNode} process-backed nodes: remove some first`);
  }
}
