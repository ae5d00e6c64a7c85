import type { Node } from '@coxswain/k8s';
import { HostPorts } from './host-ports.ts';
import type { PodInfo } from './pod-info.ts';
import { addResources, noResources, podLimit, type Resources, resourcesOf } from './resources.ts';

/** A node and what runs on it, summed up as pods come and go. */
export class NodeInfo {
  readonly name: string;
  readonly pods = new Map<string, PodInfo>();
  readonly requested: Resources = noResources();
  readonly assumed: Resources = noResources();
  readonly ports = new HostPorts();
  #node: Node | undefined;
  #allocatable: Resources = noResources();
  #podLimit = 0;

  constructor(name: string) {
    this.name = name;
  }

  /** `undefined`: there is no such node (any more), only pods that say they are on it. */
  get node(): Node | undefined {
    return this.#node;
  }

  set node(node: Node | undefined) {
    this.#node = node;
    this.#allocatable = resourcesOf(node?.status?.allocatable);
    this.#podLimit = podLimit(node?.status?.allocatable);
  }

  get allocatable(): Resources {
    return this.#allocatable;
  }

  get podLimit(): number {
    return this.#podLimit;
  }

  label(key: string): string | undefined {
    return this.#node?.metadata.labels?.[key];
  }

  add(info: PodInfo): void {
    this.pods.set(info.key, info);
    addResources(this.requested, info.requests);
    addResources(this.assumed, info.assumed);
    if (info.hostPorts.length > 0) this.ports.add(info.hostPorts);
  }

  remove(info: PodInfo): void {
    this.pods.delete(info.key);
    addResources(this.requested, info.requests, -1);
    addResources(this.assumed, info.assumed, -1);
    if (info.hostPorts.length > 0) this.ports.remove(info.hostPorts);
  }
}
