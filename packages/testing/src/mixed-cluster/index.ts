/**
 * A real control plane whose nodes are ours: what is refused, defaulted, collected and called back is Kubernetes' own, and pods are
 * processes of this machine.
 */
export { inOwnNetwork, lacksOwnNetwork, type OwnNetwork } from './own-network.ts';
export { type MixedCluster, type MixedClusterOptions, startMixedCluster } from './start-mixed-cluster.ts';
