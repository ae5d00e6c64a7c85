/**
 * operations: how a server is watched and kept alive: its metrics, its health checks, and how many requests it takes at a
 * time. It looks at requests and answers from outside, and must not know what they do.
 */
export { isAlwaysServed } from './always-served.ts';
export { type HealthState, healthChecks } from './health-checks.ts';
export { InFlightLimit, type InFlightOptions, type RequestKind, requestKindOf } from './in-flight-limit.ts';
export { type MetricsSources, metricsRoute } from './metrics-route.ts';
export { RequestMetrics } from './request-metrics.ts';
