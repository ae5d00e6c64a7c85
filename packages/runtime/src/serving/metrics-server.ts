import type { Runnable } from '../manager/types.ts';
import type { PrometheusRegistry } from '../metrics/index.ts';
import { type Listening, PlainServer } from './plain-server.ts';

/** A server among the runnables of a manager; it serves on standbys too. */
export interface ServerRunnable extends Runnable {
  /** The port in use; 0 when it does not listen. */
  readonly port: number;
}

/**
 * Serves a registry at `/metrics`, as Prometheus scrapes it: `manager.add(metricsServer({ registry, port: 8080 }))`.
 * Plain HTTP: put a network policy or a proxy before it where metrics are secret.
 * @throws Error from `start` when the port is taken
 */
export function metricsServer({
  registry,
  ...at
}: Listening & { readonly registry: PrometheusRegistry }): ServerRunnable {
  const server = new PlainServer(at, async (path) =>
    path === '/metrics' ? { code: 200, body: await registry.text(), contentType: registry.contentType } : undefined,
  );
  return {
    name: 'metrics server',
    get port() {
      return server.port;
    },
    start: () => server.start(),
    stop: () => server.stop(),
  };
}
