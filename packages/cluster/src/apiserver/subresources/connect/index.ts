/**
 * Subresources of pods that lead to the node of the pod: logs, commands in containers, connections to ports. They know pods, the
 * options of each request and the contract of the nodes (`nodes.ts`); nothing of framing, or of what a node is.
 */
export { podAttach, podExec } from './command.ts';
export { findPod, referenceOf } from './find-pod.ts';
export { join } from './join.ts';
export { podLog } from './log.ts';
export { podPortForward } from './port-forward.ts';
export { connectionRefused, type ReachedNode, reachNode } from './reach.ts';
