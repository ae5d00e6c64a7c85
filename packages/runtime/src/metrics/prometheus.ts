/// <reference path="./prom-client-parts.d.ts" />
import type { Registry } from 'prom-client';
import type { Counter, Gauge, Histogram, HistogramSpec, MetricSpec, MetricsRegistry } from './registry.ts';

/** A registry whose metrics can be scraped. */
export interface PrometheusRegistry extends MetricsRegistry {
  /** Of `text`, for the `Content-Type` header. */
  readonly contentType: string;
  /** All metrics in the Prometheus text format. */
  text(): Promise<string>;
}

/** Not through its door, which also loads a push gateway and collectors of Node's own metrics: 4 MB of memory instead of 20. */
async function loadPromClient() {
  const [registry, counter, gauge, histogram] = await Promise.all([
    import('prom-client/lib/registry.js'),
    import('prom-client/lib/counter.js'),
    import('prom-client/lib/gauge.js'),
    import('prom-client/lib/histogram.js'),
  ]);
  return {
    Registry: registry.default,
    Counter: counter.default,
    Gauge: gauge.default,
    Histogram: histogram.default,
  };
}

const defaultBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * A registry kept by prom-client, which is loaded here and not before. Give a `registry` to share it with metrics of
 * your own; a metric that is already in it under the same name is used as it is.
 */
export async function prometheusMetrics(registry?: Registry): Promise<PrometheusRegistry> {
  const prom = await loadPromClient();
  const target = registry ?? new prom.Registry();
  const registers = [target];
  const made = new Map<string, unknown>();
  const once = <M>(spec: MetricSpec, make: (labelNames: string[]) => M): M => {
    const known = made.get(spec.name) ?? target.getSingleMetric(spec.name);
    const metric = (known as M | undefined) ?? make([...(spec.labels ?? [])]);
    made.set(spec.name, metric);
    return metric;
  };
  return {
    contentType: target.contentType,
    text: () => target.metrics(),
    counter(spec: MetricSpec): Counter {
      const metric = once(
        spec,
        (labelNames) => new prom.Counter({ name: spec.name, help: spec.help, labelNames, registers }),
      );
      return { inc: (labels, by = 1) => metric.inc(labels, by) };
    },
    gauge(spec: MetricSpec): Gauge {
      const metric = once(
        spec,
        (labelNames) => new prom.Gauge({ name: spec.name, help: spec.help, labelNames, registers }),
      );
      return { set: (labels, value) => metric.set(labels, value), add: (labels, by) => metric.inc(labels, by) };
    },
    histogram(spec: HistogramSpec): Histogram {
      const buckets = [...(spec.buckets ?? defaultBuckets)];
      const metric = once(
        spec,
        (labelNames) => new prom.Histogram({ name: spec.name, help: spec.help, labelNames, buckets, registers }),
      );
      return { observe: (labels, value) => metric.observe(labels, value) };
    },
  };
}
