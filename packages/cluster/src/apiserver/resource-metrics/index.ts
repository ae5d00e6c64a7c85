/**
 * `metrics.k8s.io`: what nodes and pods use now, for `kubectl top` and autoscalers. Where a node can measure it is asked; the rest goes
 * by a rule. Knows stored pods and nodes and the contract with nodes; nothing of how they run.
 */
export { type ResourceMetricsOptions, resourceMetrics } from './resources.ts';
