import type { MetricsRegistry } from '../metrics/index.ts';

/** What a webhook server reports. */
export interface WebhookObserver {
  /** A path is served: its usual codes are there from the start, at 0. */
  serves(path: string): void;
  began(path: string): void;
  ended(path: string, code: number, ms: number): void;
  /** An admission handler failed by a mistake of its own. */
  handlerFailed(): void;
  /** A conversion function failed. */
  converterFailed(): void;
}

/** Ten nanoseconds to 1000 seconds by tens, as controller-runtime has them. */
const buckets = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));

/** Reports a webhook server under controller-runtime's names; the label `webhook` is the path. */
export function webhookMetrics(registry: MetricsRegistry): WebhookObserver {
  const labels = ['webhook'];
  const total = registry.counter({
    name: 'controller_runtime_webhook_requests_total',
    help: 'Requests to webhooks by HTTP status code',
    labels: ['webhook', 'code'],
  });
  const latency = registry.histogram({
    name: 'controller_runtime_webhook_latency_seconds',
    help: 'Seconds until a webhook answered',
    labels,
    buckets,
  });
  const inFlight = registry.gauge({
    name: 'controller_runtime_webhook_requests_in_flight',
    help: 'Requests that webhooks are answering',
    labels,
  });
  const failures = registry.counter({
    name: 'controller_runtime_webhook_panics_total',
    help: 'Admission handlers that failed by a mistake of their own',
  });
  const conversionFailures = registry.counter({
    name: 'controller_runtime_conversion_webhook_panics_total',
    help: 'Conversion functions that failed',
  });
  return {
    serves(webhook) {
      for (const code of ['200', '500']) total.inc({ webhook, code }, 0);
      inFlight.set({ webhook }, 0);
    },
    began: (webhook) => inFlight.add({ webhook }, 1),
    ended(webhook, code, ms) {
      inFlight.add({ webhook }, -1);
      total.inc({ webhook, code: String(code) });
      latency.observe({ webhook }, ms / 1000);
    },
    handlerFailed: () => failures.inc({}),
    converterFailed: () => conversionFailures.inc({}),
  };
}
