/**
 * HTTP through the API server, to pods, services and nodes. Knows how the names of proxies lead to a server, and how a request is
 * passed on and its answer changed; nothing of how a node reaches its pods (`nodes.ts`).
 */
export { proxies } from './proxy.ts';
export type { ProxyContext } from './proxy-context.ts';
