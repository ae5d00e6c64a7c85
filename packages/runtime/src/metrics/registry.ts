/** Label values of one observation. Keep the set of values small: every combination is a time series. */
export type MetricLabels = Readonly<Record<string, string>>;

/** What a metric is called, what it means, and the names of its labels. */
export interface MetricSpec {
  /** As exported, unit suffix included: `workqueue_queue_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
}

/** Upper bounds in the metric's unit; default: seconds from 1 ms to 60 s. */
export interface HistogramSpec extends MetricSpec {
  readonly buckets?: readonly number[];
}

/** Only goes up. */
export interface Counter {
  inc(labels: MetricLabels, by?: number): void;
}

/** Goes up and down. */
export interface Gauge {
  set(labels: MetricLabels, value: number): void;
  add(labels: MetricLabels, by: number): void;
}

/** Counts values by size. */
export interface Histogram {
  observe(labels: MetricLabels, value: number): void;
}

/** Where metrics are made. Asking twice for the same name gives the same metric, whoever asks. */
export interface MetricsRegistry {
  counter(spec: MetricSpec): Counter;
  gauge(spec: MetricSpec): Gauge;
  histogram(spec: HistogramSpec): Histogram;
}

const nothing = { inc() {}, set() {}, add() {}, observe() {} };

/** Counts nothing: the default. */
export const noMetrics: MetricsRegistry = {
  counter: () => nothing,
  gauge: () => nothing,
  histogram: () => nothing,
};
