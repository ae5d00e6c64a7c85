export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** `231 ms (218–260)`: the median and the spread of several runs. */
export function spread(values: readonly number[], unit: string): string {
  const round = (value: number) => (value < 10 ? value.toFixed(2) : Math.round(value).toString());
  return `${round(median(values))} ${unit} (${round(Math.min(...values))}–${round(Math.max(...values))})`;
}

/** `4.7 times`: how two medians compare. */
export function ratio(values: readonly number[], to: readonly number[]): string {
  return `${(median(values) / median(to)).toFixed(1)} times`;
}

/** The value below which a share (0 … 1) of all lies. 0 of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
