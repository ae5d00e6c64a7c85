/**
 * How containers are asked how they are, and how their hooks are run: commands, HTTP, TCP and gRPC over connections that the runtime
 * makes. Texts of results are the kubelet's. Knows nothing of when and how often, nor of what follows.
 */
export { executeHook } from './hook.ts';
export { executeProbe } from './probe.ts';
export type { ProbeTarget } from './target.ts';
