import type { PodInfo } from './state/pod-info.ts';

const nobody: ReadonlyMap<string, PodInfo> = new Map();
const none: readonly PodInfo[] = [];

/** Pods that have been promised a node, and wait until those that are to go have gone. */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  set(info: PodInfo, node: string): void {
    this.delete(info.key);
    this.#nodeOf.set(info.key, node);
    const pods = this.#byNode.get(node) ?? new Map<string, PodInfo>();
    this.#byNode.set(node, pods);
    pods.set(info.key, info);
  }

  delete(key: string): void {
    const node = this.#nodeOf.get(key);
    if (node === undefined) return;
    this.#nodeOf.delete(key);
    const pods = this.#byNode.get(node);
    pods?.delete(key);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  nodeOf(key: string): string | undefined {
    return this.#nodeOf.get(key);
  }

  /** Pods that count on a node and are not less important than `info`. */
  before(info: PodInfo, node: string): readonly PodInfo[] {
    if (this.#byNode.size === 0) return none;
    return [...(this.#byNode.get(node) ?? nobody).values()].filter(
      ({ key, priority }) => key !== info.key && priority >= info.priority,
    );
  }

  /** Pods that count on a node and are less important than `info`. */
  after(info: PodInfo, node: string): PodInfo[] {
    return [...(this.#byNode.get(node) ?? nobody).values()].filter(({ priority }) => priority < info.priority);
  }
}
