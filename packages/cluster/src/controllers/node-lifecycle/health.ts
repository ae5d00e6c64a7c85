import type { Lease, Node, NodeCondition } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';

/** What was last seen of a node, and when. Times are those of this controller: clocks of nodes may be wrong. */
interface Seen {
  readonly heartbeat: string | undefined;
  readonly renewed: string | undefined;
  /** Monotonic. */
  readonly at: number;
}

/** Conditions that a node tells itself; of a node that is silent they are not known. */
const told = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

export interface HealthOptions {
  /** Milliseconds. */
  readonly gracePeriod: number;
  /** For nodes that have never told of themselves. */
  readonly startupGracePeriod: number;
}

export function readyOf({ status }: Node): NodeCondition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Remembers signs of life of nodes: their heartbeats and the renewals of their leases. */
export class NodeHealth {
  readonly #options: HealthOptions;
  readonly #seen = new Map<string, Seen>();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  forget(node: string): void {
    this.#seen.delete(node);
  }

  /** Whether a node has been silent for too long. @param now monotonic; `since` the node's age in milliseconds */
  isSilent(node: Node, lease: Lease | undefined, now: number, age: number): boolean {
    const { name } = node.metadata;
    const ready = readyOf(node);
    const heartbeat = ready?.lastHeartbeatTime;
    const renewed = lease?.spec?.renewTime;
    const before = this.#seen.get(name);
    const alive =
      !before || (ready && heartbeat !== before.heartbeat) || (renewed !== undefined && renewed !== before.renewed);
    // one that has never told of itself is as old as its object
    const first = ready || renewed !== undefined ? now : now - age;
    const at = before && !alive ? before.at : before ? now : first;
    this.#seen.set(name, { heartbeat, renewed, at });
    return now - at > (ready ? this.#options.gracePeriod : this.#options.startupGracePeriod);
  }
}

/** The conditions of a node that is silent: those it tells itself are unknown. `undefined`: they say so already. */
export function unknownConditions(node: Node, now: number): readonly NodeCondition[] | undefined {
  const before = node.status?.conditions ?? [];
  const at = formatTime(now);
  const changed = before.map((condition): NodeCondition => {
    if (!told.includes(condition.type) || condition.status === 'Unknown') return condition;
    return {
      ...condition,
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime: at,
    };
  });
  const missing = told
    .filter((type) => !before.some((condition) => condition.type === type))
    .map(
      (type): NodeCondition => ({
        type,
        status: 'Unknown',
        reason: 'NodeStatusNeverUpdated',
        message: 'Kubelet never posted node status.',
        lastHeartbeatTime: node.metadata.creationTimestamp ?? at,
        lastTransitionTime: at,
      }),
    );
  const same = missing.length === 0 && changed.every((condition, i) => condition === before[i]);
  return same ? undefined : [...changed, ...missing];
}
