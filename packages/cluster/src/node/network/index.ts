/**
 * The network of process-backed pods: an address for each in 127.0.0.0/8, names, and Services that lead to endpoints. Knows pods,
 * Services and sockets; nothing of how containers run, and nothing of the API server but the client.
 */
export { dialTcp } from './dial.ts';
export { NetworkError } from './errors.ts';
export { ProcessNetwork, type ProcessNetworkOptions } from './network.ts';
export type { NodePlace, PodAttachment, PodNamespaces, PodNetwork, PodNetworkFiles } from './types.ts';
