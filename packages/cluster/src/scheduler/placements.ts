import type { Node, Pod } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { keyOf, keyString } from '@coxswain/runtime/core';
import { addPod, allocatableOf, type NodeLoad } from './node-load.ts';

interface Placed {
  readonly pod: Pod;
  readonly node: string;
}

interface OnNode {
  readonly pods: Map<string, Pod>;
  readonly requested: Map<string, number>;
  /** Those of the pods that refuse company by required anti-affinity. */
  readonly refusing: Map<string, Pod>;
}

function hasEnded(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** Which pods are on which node, with what they request: kept up to date by events, and by decisions before their events come. */
export class Placements {
  readonly #placed = new Map<string, Placed>();
  readonly #nodes = new Map<string, OnNode>();

  /** Takes an event of the pod store. */
  take({ type, object }: StoreEvent<Pod>): void {
    const key = keyString(keyOf(object));
    const node = object.spec?.nodeName;
    if (type === 'deleted' || hasEnded(object)) this.remove(key);
    else if (node) this.place(object, node);
    else if (this.#placed.get(key)?.pod.metadata.uid !== object.metadata.uid) this.remove(key);
  }

  place(pod: Pod, node: string): void {
    const key = keyString(keyOf(pod));
    this.remove(key);
    const there = this.#nodes.get(node) ?? { pods: new Map(), requested: new Map(), refusing: new Map() };
    this.#nodes.set(node, there);
    this.#placed.set(key, { pod, node });
    there.pods.set(key, pod);
    if (pod.spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.length)
      there.refusing.set(key, pod);
    addPod(there.requested, pod, 1);
  }

  remove(key: string): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#placed.delete(key);
    const there = this.#nodes.get(placed.node);
    there?.pods.delete(key);
    there?.refusing.delete(key);
    if (there) addPod(there.requested, placed.pod, -1);
  }

  has(pod: Pod): boolean {
    return this.#placed.get(keyString(keyOf(pod)))?.pod.metadata.uid === pod.metadata.uid;
  }

  podsOn(node: Node): Iterable<Pod> {
    return this.#nodes.get(node.metadata.name)?.pods.values() ?? [];
  }

  refusingOn(node: Node): Iterable<Pod> {
    return this.#nodes.get(node.metadata.name)?.refusing.values() ?? [];
  }

  loadOf(node: Node): NodeLoad {
    const there = this.#nodes.get(node.metadata.name);
    return {
      requested: there?.requested ?? new Map(),
      allocatable: allocatableOf(node),
      pods: this.podsOn(node),
      count: there?.pods.size ?? 0,
    };
  }
}
