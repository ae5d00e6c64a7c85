import type { Sample } from './text-format.ts';

/** Upper bounds of the real server, in seconds. */
const bounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
] as const;

export type SeriesLabels = Readonly<
  Record<'verb' | 'dry_run' | 'group' | 'version' | 'resource' | 'subresource' | 'scope', string>
>;

/** What is counted of the requests that have the same labels. */
export class Series {
  readonly #labels: SeriesLabels;
  readonly #codes = new Map<number, number>();
  /** By bucket, not cumulative; the last one has no bound. */
  readonly #buckets = new Float64Array(bounds.length + 1);
  #seconds = 0;
  /** Requests that ended without an answer. */
  aborted = 0;
  /** Watches that are open. */
  open = 0;
  /** Whether there ever was one. */
  watched = false;
  /** Events told to them. */
  events = 0;

  constructor(labels: SeriesLabels) {
    this.#labels = labels;
  }

  /** Without the dry run. */
  get plainLabels(): Readonly<Record<string, string>> {
    const { dry_run: _, ...labels } = this.#labels;
    return labels;
  }

  answered(code: number, ms: number): void {
    this.#codes.set(code, (this.#codes.get(code) ?? 0) + 1);
    const seconds = ms / 1000;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#seconds += seconds;
  }

  *codeSamples(): Iterable<Sample> {
    for (const [code, value] of this.#codes) yield { labels: { ...this.#labels, component: 'apiserver', code }, value };
  }

  *durationSamples(): Iterable<Sample> {
    const labels = { ...this.#labels, component: 'apiserver' };
    let count = 0;
    for (const [i, each] of this.#buckets.entries()) {
      count += each;
      const le = bounds[i] === undefined ? '+Inf' : String(bounds[i]);
      yield { suffix: '_bucket', labels: { ...labels, le }, value: count };
    }
    yield { suffix: '_sum', labels, value: this.#seconds };
    yield { suffix: '_count', labels, value: count };
  }
}
