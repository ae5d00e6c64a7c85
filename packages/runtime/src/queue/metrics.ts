import type { MetricsRegistry } from '../metrics/index.ts';
import type { QueueObserver } from './options.ts';

/** Reports a queue under client-go's names, with the label `name`; depth is also split by lane, as `priority`. */
export function queueMetrics(registry: MetricsRegistry, name: string): QueueObserver {
  const labels = ['name'];
  const own = { name };
  const adds = registry.counter({ name: 'workqueue_adds_total', help: 'Keys added to the queue', labels });
  const depth = registry.gauge({
    name: 'workqueue_depth',
    help: 'Keys waiting in the queue',
    labels: ['name', 'priority'],
  });
  const waited = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Seconds a key waits before it is worked',
    labels,
  });
  const worked = registry.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Seconds the work on a key takes',
    labels,
  });
  const retries = registry.counter({ name: 'workqueue_retries_total', help: 'Retries after errors', labels });
  return {
    added: () => adds.inc(own),
    depth: (lane, value) => depth.set({ name, priority: lane }, value),
    started: (ms) => waited.observe(own, ms / 1000),
    finished: (ms) => worked.observe(own, ms / 1000),
    retried: () => retries.inc(own),
  };
}
