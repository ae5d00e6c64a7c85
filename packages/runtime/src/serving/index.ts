// Serving: what a manager tells the world around it over plain HTTP: metrics for scrapers, health for probes.
// Each is a runnable of the manager. Knows nothing of controllers; admission webhooks are a room of their own.
export { type HealthCheck, type HealthOptions, healthServer } from './health-server.ts';
export { metricsServer } from './metrics-server.ts';
export type { Listening, ServerRunnable } from './plain-server.ts';
