import type { Clock } from '../core/index.ts';

/** One reconcile, running or ended. Times are of the monotonic clock. */
interface Run {
  readonly name: string;
  readonly began: number;
  ended: number | undefined;
}

/** Those that ended are kept for whoever asks next; more would be those of somebody who never asks. */
const endedLimit = 100;

/** Which reconciles of all controllers of a manager run, for whoever has to say what held the process up. */
export class RunningReconciles {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #long: number;
  readonly #running = new Set<Run>();
  #ended: Run[] = [];

  /** @param long milliseconds from which on a reconcile that has ended is still of interest */
  constructor(clock: Pick<Clock, 'monotonic'>, long: number) {
    this.#clock = clock;
    this.#long = long;
  }

  /** A reconcile begins. Call what it answers when it has ended. */
  began(controller: string, key: string): () => void {
    const run: Run = { name: `${controller} ${key}`, began: this.#clock.monotonic(), ended: undefined };
    this.#running.add(run);
    return () => {
      this.#running.delete(run);
      run.ended = this.#clock.monotonic();
      if (run.ended - run.began >= this.#long && this.#ended.length < endedLimit) this.#ended.push(run);
    };
  }

  /**
   * `controller namespace/name` of the reconciles that ran for `ms` milliseconds or more since `from`. Those that have ended are
   * answered once, and forgotten.
   */
  since(from: number, ms: number): readonly string[] {
    const now = this.#clock.monotonic();
    const runs = [...this.#ended, ...this.#running];
    this.#ended = [];
    return runs.filter(({ began, ended = now }) => ended - Math.max(began, from) >= ms).map(({ name }) => name);
  }
}
