// Metrics: the interface through which every room counts, and its Prometheus form. Metric names are those of
// controller-runtime and client-go, so that existing dashboards and alerts keep working. Each room declares its own
// metrics; this one knows none of them, and holds no global registry.
export { type PrometheusRegistry, prometheusMetrics } from './prometheus.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type HistogramSpec,
  type MetricLabels,
  type MetricSpec,
  type MetricsRegistry,
  noMetrics,
} from './registry.ts';
