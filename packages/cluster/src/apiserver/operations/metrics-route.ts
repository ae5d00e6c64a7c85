import type { Storage } from '../../storage/types.ts';
import type { NonResourceRoute } from '../types.ts';
import type { InFlightLimit, RequestKind } from './in-flight-limit.ts';
import { ProcessMetrics } from './process-metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { expositionText, type Metric, type Sample } from './text-format.ts';

export interface MetricsSources {
  readonly requests: RequestMetrics;
  readonly limit: InFlightLimit;
  readonly storage: Storage;
}

const kinds: readonly RequestKind[] = ['mutating', 'readOnly'];

function limitMetrics(limit: InFlightLimit): readonly Metric[] {
  const byKind = (count: (kind: RequestKind) => number): readonly Sample[] =>
    kinds.map((kind) => ({ labels: { request_kind: kind }, value: count(kind) }));
  return [
    {
      name: 'apiserver_current_inflight_requests',
      help: 'Requests over HTTPS that are worked on now.',
      type: 'gauge',
      samples: byKind((kind) => limit.active(kind)),
    },
    {
      name: 'apiserver_current_inqueue_requests',
      help: 'Requests over HTTPS that wait for their turn.',
      type: 'gauge',
      samples: byKind((kind) => limit.queued(kind)),
    },
    {
      name: 'apiserver_request_terminations_total',
      help: 'Requests that were turned away because there were too many.',
      type: 'counter',
      samples: [{ labels: { component: 'apiserver', code: 429 }, value: limit.refused }],
    },
  ];
}

/** Objects by resource, under the name of old dashboards and that of new ones. */
function storageMetrics(storage: Storage): readonly Metric[] {
  const counts = storage.resources().map((id) => {
    const { objects, remaining } = storage.list(id, { limit: 1 });
    const slash = id.indexOf('/');
    return { group: id.slice(0, slash), resource: id.slice(slash + 1), value: objects.length + remaining };
  });
  return [
    {
      name: 'apiserver_storage_objects',
      help: 'Stored objects, by resource.',
      type: 'gauge',
      samples: counts.map(({ group, resource, value }) => ({
        labels: { resource: group === '' ? resource : `${resource}.${group}` },
        value,
      })),
    },
    {
      name: 'apiserver_resource_objects',
      help: 'Stored objects, by group and resource.',
      type: 'gauge',
      samples: counts.map(({ group, resource, value }) => ({ labels: { group, resource }, value })),
    },
  ];
}

/** `/metrics`, and `close` to stop measuring. */
export function metricsRoute({ requests, limit, storage }: MetricsSources): NonResourceRoute & { close(): void } {
  const ofProcess = new ProcessMetrics();
  return {
    match: (path) => path === '/metrics',
    handle() {
      const metrics = [
        ...requests.metrics(),
        ...limitMetrics(limit),
        ...storageMetrics(storage),
        ...ofProcess.metrics(),
      ];
      const headers = { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' };
      return { kind: 'text', code: 200, body: expositionText(metrics), headers };
    },
    close: () => ofProcess.stop(),
  };
}
