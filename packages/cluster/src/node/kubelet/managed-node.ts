import type { Taint } from '@coxswain/k8s';
import type { ContainerRuntime } from '../runtime.ts';

/** A node that this process plays. */
export interface NodeSpec {
  readonly name: string;
  /** Its `InternalIP`. */
  readonly address: string;
  readonly podCIDR?: string;
  readonly runtime: ContainerRuntime;
  readonly capacity: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** As `nodeInfo` shows them. */
  readonly kernel: string;
  readonly osImage: string;
  /** Only warnings become events, and what pods wait for is not written: thousands of pods are not told of one by one. */
  readonly quiet?: boolean;
}

/**
 * How a node is: `up`; `down`, as without power: its containers have ended, it says nothing; or `partitioned`: its containers go on,
 * but nobody hears of them, and it hears of nothing.
 */
export type NodeState = 'up' | 'down' | 'partitioned';

export interface ManagedNode extends NodeSpec {
  readonly state: NodeState;
}
