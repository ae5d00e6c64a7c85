/**
 * An embedded Kubernetes: API server, control plane and simulated nodes, in this process, from npm alone.
 * Knows nothing of operators.
 */

export type { WebhookRoutes, WebhookTarget } from './apiserver/admission/index.ts';
export type {
  FaultAction,
  FaultCounts,
  FaultHandle,
  FaultMatch,
  FaultRule,
  Faults,
  FaultWhen,
  Pattern,
  WatchFault,
} from './faults/index.ts';
export { type GuestNodes, type GuestNodesOptions, guestNodes } from './guest-nodes.ts';
export { ListenError } from './http/index.ts';
export {
  type ContainerBehaviour,
  defaultBehaviour,
  type PodBehaviour,
  type ProgramCommand,
  type ProgramRun,
  type SimulatedProgram,
  type SimulatedPrograms,
  type Stage,
  type StageDelay,
  type StageMatch,
  type StageProbe,
  type StageWhen,
} from './node/index.ts';
export { NetworkError } from './node/network/errors.ts';
export { KeysError } from './pki/index.ts';
export { startCluster } from './start-cluster.ts';
export { DataDirError, type DirLock, lockDirectory, makeDirectory } from './storage/index.ts';
export type { Cluster, ClusterNodes, ClusterOptions, ClusterUser } from './types.ts';
