import type { Labels, Sample } from './text-format.ts';

/** Upper bounds of the real server, in seconds. */
const bounds = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
] as const;

/** The same for sizes, in bytes. */
const sizeBounds = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9] as const;

/** A histogram with buckets of given bounds. */
class Histogram {
  readonly #bounds: readonly number[];
  /** By bucket, not cumulative; the last one has no bound. */
  readonly #buckets: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#buckets = new Float64Array(bounds.length + 1);
  }

  add(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] as number)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  *samples(labels: Labels): Iterable<Sample> {
    let count = 0;
    for (const [i, each] of this.#buckets.entries()) {
      count += each;
      const bound = this.#bounds[i];
      yield {
        suffix: '_bucket',
        labels: { ...labels, le: bound === undefined ? '+Inf' : boundText(bound) },
        value: count,
      };
    }
    yield { suffix: '_sum', labels, value: this.#sum };
    yield { suffix: '_count', labels, value: count };
  }
}

/** Large ones with an exponent, as Prometheus' own writer has them. */
function boundText(bound: number): string {
  return bound >= 1e6 ? bound.toExponential().replace(/e\+(\d)$/, 'e+0$1') : String(bound);
}

export type SeriesLabels = Readonly<
  Record<'verb' | 'dry_run' | 'group' | 'version' | 'resource' | 'subresource' | 'scope', string>
>;

/** What is counted of the requests that have the same labels. */
export class Series {
  readonly #labels: SeriesLabels;
  readonly #codes = new Map<number, number>();
  readonly #durations = new Histogram(bounds);
  readonly #sizes = new Histogram(sizeBounds);
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
    this.#durations.add(ms / 1000);
  }

  /** Whether the sizes of the answers are of interest. */
  get isRead(): boolean {
    return this.#labels.verb === 'GET' || this.#labels.verb === 'LIST';
  }

  sent(bytes: number): void {
    this.#sizes.add(bytes);
  }

  *codeSamples(): Iterable<Sample> {
    for (const [code, value] of this.#codes) yield { labels: { ...this.#labels, component: 'apiserver', code }, value };
  }

  durationSamples(): Iterable<Sample> {
    return this.#durations.samples({ ...this.#labels, component: 'apiserver' });
  }

  sizeSamples(): Iterable<Sample> {
    return this.isRead ? this.#sizes.samples({ ...this.plainLabels, component: 'apiserver' }) : [];
  }
}
