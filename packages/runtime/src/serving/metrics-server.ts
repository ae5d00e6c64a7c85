import { checkOptions, optionNames } from '../core/index.ts';
import type { PrometheusRegistry } from '../metrics/index.ts';
import { type Listening, PlainServer, type ServerRunnable } from './plain-server.ts';

/** What is served, and where. */
interface MetricsServing extends Listening {
  readonly registry: PrometheusRegistry;
}

const names = optionNames<MetricsServing>({ registry: true, port: true, host: true });

/**
 * Serves a registry at `/metrics`, as Prometheus scrapes it: `manager.add(metricsServer({ registry, port: 8080 }))`.
 * Plain HTTP: put a network policy or a proxy before it where metrics are secret.
 * @throws TypeError for an option that nobody reads, RangeError for a port that is none; `start` rejects when it is taken
 */
export function metricsServer(options: MetricsServing): ServerRunnable {
  checkOptions('metricsServer', options ?? null, names);
  const { registry, ...at } = options;
  if (typeof registry?.text !== 'function')
    throw new TypeError('metricsServer: give a "registry", as prometheusRegistry makes it');
  return new PlainServer('metrics server', at, async (path) =>
    path === '/metrics' ? { code: 200, body: await registry.text(), contentType: registry.contentType } : undefined,
  );
}
