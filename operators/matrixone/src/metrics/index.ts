/**
 * What the operator exports besides the framework's metrics, under the upstream operator's names and labels: conditions of all objects,
 * and how long MatrixOne's services take to answer. Knows the kinds and the form of calls, and nothing of who makes them.
 */
export { conditionMetrics, withConditions } from './condition-metrics.ts';
export { cnRpcDuration, haKeeperRpcDuration, rpcMetrics } from './rpc-metrics.ts';
