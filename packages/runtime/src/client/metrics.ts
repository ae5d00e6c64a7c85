import { ApiError, type Clock, systemClock } from '../core/index.ts';
import type { MetricsRegistry } from '../metrics/index.ts';
import type { Interceptor } from './interceptor.ts';
import type { TransportRequest } from './transport.ts';

/** What requests are labelled with. */
export interface ClientMetricsOptions {
  /** The server as the metrics name it: host and port, as in the connection's `server`. */
  readonly host: string;
  readonly clock?: Clock;
}

const buckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

/**
 * Counts a client's requests under client-go's names: `rest_client_requests_total` (every try, watches too),
 * `rest_client_request_retries_total` (every try but the first) and `rest_client_request_duration_seconds` (without watches,
 * whose answer has no end). `code` is the HTTP status, or `<error>` when there was no answer.
 */
export function clientMetrics(registry: MetricsRegistry, options: ClientMetricsOptions): Interceptor {
  const { host, clock = systemClock } = options;
  const total = registry.counter({
    name: 'rest_client_requests_total',
    help: 'Number of HTTP requests, partitioned by status code, method, and host.',
    labels: ['code', 'method', 'host'],
  });
  const retries = registry.counter({
    name: 'rest_client_request_retries_total',
    help: 'Number of request retries, partitioned by status code, verb, and host.',
    labels: ['code', 'verb', 'host'],
  });
  const duration = registry.histogram({
    name: 'rest_client_request_duration_seconds',
    help: 'Request latency in seconds. Broken down by verb, and host.',
    labels: ['verb', 'host'],
    buckets,
  });

  async function counted<A>(
    { method, attempt }: TransportRequest,
    call: () => Promise<A>,
    status: (answer: A) => number,
  ) {
    let code = '<error>';
    try {
      const answer = await call();
      code = String(status(answer));
      return answer;
    } catch (error) {
      if (error instanceof ApiError) code = String(error.code);
      throw error;
    } finally {
      total.inc({ code, method, host });
      if (attempt) retries.inc({ code, verb: method, host });
    }
  }

  return {
    async send(request, next) {
      const start = clock.monotonic();
      try {
        return await counted(
          request,
          () => next(request),
          ({ status }) => status,
        );
      } finally {
        duration.observe({ verb: request.method, host }, (clock.monotonic() - start) / 1000);
      }
    },
    watch: (request, next) =>
      counted(
        request,
        () => next(request),
        () => 200,
      ),
  };
}
