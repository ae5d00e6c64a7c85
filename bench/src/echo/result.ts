/** One figure of one candidate in one scenario. */
export interface Figure {
  /** `B1` … */
  readonly scenario: string;
  /** What was done: `cold start, 10000 objects`. */
  readonly what: string;
  readonly candidate: string;
  /** What was measured: `all reconciled`. */
  readonly measure: string;
  readonly unit: 's' | 'ms' | 'MiB' | '' | '/s' | 'us';
  /** One value a run. */
  readonly values: readonly number[];
  /** Why there is none, or what to know of it. */
  readonly note?: string;
}

/** Collects figures: the same measure of several runs becomes one. */
export class Figures {
  readonly #all = new Map<string, Figure>();

  add(figure: Omit<Figure, 'values'>, value: number): void {
    const key = [figure.scenario, figure.what, figure.candidate, figure.measure].join('|');
    this.#all.set(key, { ...figure, values: [...(this.#all.get(key)?.values ?? []), value] });
  }

  /** That a candidate gave no figure, and why: the first line of an error. */
  missing(figure: Pick<Figure, 'scenario' | 'what' | 'candidate'>, why: unknown): void {
    const [note = ''] = (why instanceof Error ? why.message : String(why)).split('\n', 1);
    this.#all.set([figure.scenario, figure.what, figure.candidate].join('|'), {
      ...figure,
      measure: 'result',
      unit: '',
      values: [],
      note,
    });
  }

  /** Whether a candidate gave no figure somewhere in a scenario. */
  hasFailed(scenario: string, candidate: string): boolean {
    return this.all.some((one) => one.scenario === scenario && one.candidate === candidate && one.values.length === 0);
  }

  get all(): readonly Figure[] {
    return [...this.#all.values()];
  }
}
