import { clientMetrics, createClient, defaultConnection, httpTransport } from '@coxswain/runtime/client';
import { jsonLogger } from '@coxswain/runtime/core';
import { createManager, type Manager } from '@coxswain/runtime/manager';
import { prometheusMetrics } from '@coxswain/runtime/metrics';
import { healthServer, metricsServer } from '@coxswain/runtime/serving';
import { clientTracing } from '@coxswain/runtime/tracing';
import type { Tracer } from '@opentelemetry/api';

export async function watched(tracer: Tracer): Promise<Manager> {
  const registry = await prometheusMetrics();
  const log = jsonLogger({ write: (line) => process.stderr.write(line) });
  const connection = await defaultConnection({ env: process.env });
  const { host } = new URL(connection.server);
  const interceptors = [clientMetrics(registry, { host }), clientTracing(tracer)];
  const client = createClient({ transport: httpTransport(connection), interceptors });
  const manager = createManager({ client, name: 'echo', log, metrics: registry, tracer });
  manager.add(metricsServer({ registry, port: 8080 }));
  manager.add(healthServer({ manager, port: 8081 }));
  return manager;
}
