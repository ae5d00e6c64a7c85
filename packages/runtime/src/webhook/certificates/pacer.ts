import type { Clock, Random } from '../../core/index.ts';

/** Runs passes one after the other: when woken, when the time that the last one named has come, and after failures. */
export class Pacer {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #signal: AbortSignal;
  #woken = false;
  #wake: (() => void) | undefined;
  #failures = 0;

  constructor(clock: Clock, random: Random, signal: AbortSignal) {
    this.#clock = clock;
    this.#random = random;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.wake(), { once: true });
  }

  /** There is something to do now. */
  wake(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /**
   * Until the signal is aborted; never rejects. `pass` tells how many milliseconds it need not run again; after a failure it
   * runs again in a second, then two, up to a minute, half of it by chance.
   */
  async run(pass: () => Promise<number>, failed: (error: unknown) => void): Promise<void> {
    while (!this.#signal.aborted) {
      this.#woken = false;
      let rest: number;
      try {
        rest = await pass();
        this.#failures = 0;
      } catch (error) {
        if (this.#signal.aborted) return;
        failed(error);
        rest = Math.min(60_000, 1000 * 2 ** Math.min(this.#failures++, 6)) * (0.5 + this.#random.next() / 2);
      }
      await this.#rest(rest);
    }
  }

  #rest(ms: number): Promise<void> {
    if (this.#woken || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.after(ms, resolve);
      this.#wake = () => {
        this.#wake = undefined;
        timer.cancel();
        resolve();
      };
    });
  }
}
