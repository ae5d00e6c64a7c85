import type { PrometheusRegistry } from '../metrics/index.ts';
import { type Listening, PlainServer, type ServerRunnable } from './plain-server.ts';

/**
 * Serves a registry at `/metrics`, as Prometheus scrapes it: `manager.add(metricsServer({ registry, port: 8080 }))`.
 * Plain HTTP: put a network policy or a proxy before it where metrics are secret.
 * @throws Error from `start` when the port is taken
 */
export function metricsServer({
  registry,
  ...at
}: Listening & { readonly registry: PrometheusRegistry }): ServerRunnable {
  return new PlainServer('metrics server', at, async (path) =>
    path === '/metrics' ? { code: 200, body: await registry.text(), contentType: registry.contentType } : undefined,
  );
}
