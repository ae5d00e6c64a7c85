/**
 * The life of pods on nodes: what happens to a pod and its containers, and when. Also the nodes themselves, as far as the cluster sees
 * them. Knows pods and the contract of runtimes; nothing of how a container runs.
 */
export { connectTo } from './connection.ts';
export type { NodeSpec, NodeState } from './managed-node.ts';
export { NodePool, type NodePoolOptions, removeNode } from './node-pool.ts';
