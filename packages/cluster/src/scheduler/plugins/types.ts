import type {
  CSINode,
  PersistentVolume,
  PersistentVolumeClaim,
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  StorageClass,
} from '@coxswain/k8s';
import type { ClusterState } from '../state/cluster-state.ts';
import type { NodeInfo } from '../state/node-info.ts';
import type { PodInfo } from '../state/pod-info.ts';

/** Objects that decide with pods and nodes, as the stores have them. */
export interface Lookups {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  volumes(): Iterable<PersistentVolume>;
  /** Whether a pod that waits for its volumes has this one set aside. */
  isReserved(volume: string): boolean;
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  services(namespace: string): Iterable<Service>;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
  replicationController(namespace: string, name: string): ReplicationController | undefined;
}

/** One decision: the pod, and the world it is made in. */
export interface Cycle {
  readonly info: PodInfo;
  readonly state: ClusterState;
  readonly lookups: Lookups;
}

/** Why a pod cannot run on a node, in the words of the real scheduler. */
export interface Rejection {
  readonly plugin: string;
  readonly reasons: readonly string[];
  /** Whether it stays so whoever leaves the node: nobody need be preempted. */
  readonly unresolvable: boolean;
}

/** What a plugin asks of each node, for one pod. */
export interface NodeFilter {
  /** The only nodes that come into question. */
  readonly only?: ReadonlySet<string>;
  check(node: NodeInfo): Rejection | undefined;
  /** For those that have summed up the cluster: a pod comes to (or leaves) a node for a trial. */
  readonly change?: (other: PodInfo, node: NodeInfo, by: 1 | -1) => void;
}

/** Points of one plugin for each of the nodes given, in their order: between 0 and 100. */
export type NodeScores = ArrayLike<number>;

/** One concern of the scheduler. */
export interface Plugin {
  readonly name: string;
  /** `undefined`: this pod has nothing to ask. A rejection: no node can take it. */
  readonly filter?: (cycle: Cycle) => NodeFilter | Rejection | undefined;
  readonly weight?: number;
  /** `undefined`: all nodes are the same to it. */
  readonly score?: (cycle: Cycle, nodes: readonly NodeInfo[]) => NodeScores | undefined;
}

export function isRejection(outcome: NodeFilter | Rejection): outcome is Rejection {
  return 'reasons' in outcome;
}

/** Scales points so that the most get 100 (with `reverse`: 0, and none 100). */
export function scaled(points: readonly number[], reverse = false): NodeScores {
  const most = points.reduce((a, b) => Math.max(a, b), 0);
  return points.map((point) => {
    if (most === 0) return reverse ? 100 : 0;
    const share = Math.floor((100 * point) / most);
    return reverse ? 100 - share : share;
  });
}
