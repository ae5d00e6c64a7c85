import type { LifecycleHandler } from '@coxswain/k8s';
import type { Clock, Timer } from '@coxswain/runtime/core';
import type { RunningContainer } from '../runtime.ts';

/** A hook that used up the whole grace leaves the program so many milliseconds all the same. */
const least = 2_000;

export interface StoppingOptions {
  readonly clock: Clock;
  /** Milliseconds from the first call to the end, the hook included. */
  readonly grace: number;
  readonly preStop: LifecycleHandler | undefined;
  /** Default `SIGTERM`. */
  readonly signal?: NodeJS.Signals;
  readonly onHookFailure: (error: unknown) => void;
}

/** The end of one run: its `preStop` hook, a signal that asks, and one that does not when the grace has passed. */
export class Stopping {
  readonly #run: RunningContainer;
  readonly #options: StoppingOptions;
  readonly #hook = new AbortController();
  #deadline: number;
  #asked = false;
  #timer: Timer | undefined;

  constructor(run: RunningContainer, options: StoppingOptions) {
    this.#run = run;
    this.#options = options;
    this.#deadline = options.clock.monotonic() + options.grace;
    void this.#begin();
  }

  /** Less time than was thought of: milliseconds from now. */
  hurry(grace: number): void {
    const deadline = this.#options.clock.monotonic() + grace;
    if (deadline >= this.#deadline) return;
    this.#deadline = deadline;
    this.#arm();
  }

  /** The run has ended. */
  ended(): void {
    this.#timer?.cancel();
    this.#hook.abort();
  }

  async #begin(): Promise<void> {
    const { preStop, onHookFailure } = this.#options;
    this.#arm();
    if (preStop && this.#run.hook && !this.#run.exit)
      await this.#run.hook(preStop, this.#hook.signal).catch((error: unknown) => {
        if (!this.#run.exit) onHookFailure(error);
      });
    this.#ask();
  }

  #ask(): void {
    if (this.#asked || this.#run.exit) return;
    this.#asked = true;
    this.#run.kill(this.#options.signal ?? 'SIGTERM');
    if (!this.#run.exit) this.#arm();
  }

  #arm(): void {
    this.#timer?.cancel();
    if (this.#run.exit) return;
    const { clock } = this.#options;
    const left = Math.max(0, this.#deadline - clock.monotonic());
    this.#timer = clock.after(left, () => {
      if (this.#asked) return this.#run.kill('SIGKILL');
      // The hook had all the time there was.
      this.#deadline = clock.monotonic() + least;
      this.#hook.abort();
      this.#ask();
    });
  }
}
