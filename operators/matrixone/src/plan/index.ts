/**
 * All children of a set as values: configuration, services and workload put together. Pure: the same spec and the same
 * live objects always give the same plan. Knows nothing of clients or of the order in time.
 */
export { type CNSetPlan, planCNSet } from './cnset.ts';
export { type DNSetPlan, planDNSet } from './dnset.ts';
export type { LiveSet } from './live.ts';
export { type LogSetPlan, planLogSet } from './logset.ts';
export { type ProxySetPlan, planProxySet } from './proxyset.ts';
