/** Labels of a sample: name and value, in the order in which they are written. */
export type Labels = Readonly<Record<string, string | number>>;

/** A sample of a metric: its labels and value; `suffix` as in `_bucket`. */
export interface Sample {
  readonly labels?: Labels;
  readonly value: number;
  readonly suffix?: string;
}

export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: Iterable<Sample>;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

function labelText(labels: Labels = {}): string {
  const parts = Object.entries(labels).map(
    ([name, value]) => `${name}="${String(value).replace(/[\\"\n]/g, (char) => escapes[char] ?? char)}"`,
  );
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}

/** The Prometheus text exposition format, version 0.0.4. Metrics without samples are left out. */
export function expositionText(metrics: Iterable<Metric>): string {
  const lines: string[] = [];
  for (const { name, help, type, samples } of metrics) {
    const values = Array.from(
      samples,
      ({ labels, value, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${numberText(value)}`,
    );
    if (values.length > 0) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values);
  }
  return `${lines.join('\n')}\n`;
}
