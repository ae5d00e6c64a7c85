import type { Random } from '../core/index.ts';

/** Growing pauses with full jitter: a random part of 0.8 s, 1.6 s … 30 s, so that many clients do not return at once. */
export class Backoff {
  readonly #random: Random;
  #attempts = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Failures since the last reset. */
  get attempts(): number {
    return this.#attempts;
  }

  /** Counts a failure. @returns milliseconds to wait; never less than 50, so that a failing server is not hammered */
  next(): number {
    const ceiling = Math.min(30_000, 800 * 2 ** Math.min(this.#attempts++, 10));
    return 50 + (ceiling - 50) * this.#random.next();
  }

  reset(): void {
    this.#attempts = 0;
  }
}
