import type { Clock } from './clock.ts';

/** Milliseconds until the same is told again, each time twice as long. */
const firstPause = 60_000;
const longestPause = 3_600_000;

/** Keeps a trouble that goes on from filling the log: it is due at once, then after a minute, two, four … and every hour at last. */
export class Repeats {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #last: string | undefined;
  #next = 0;
  #pause = firstPause;
  #asked = 0;
  readonly #forgottenAfter: number;

  /** @param options `forgottenAfter`: milliseconds without the trouble after which it was over; default: only {@link over} says so */
  constructor(clock: Pick<Clock, 'monotonic'>, { forgottenAfter = Number.POSITIVE_INFINITY } = {}) {
    this.#clock = clock;
    this.#forgottenAfter = forgottenAfter;
  }

  /** Whether `what` is to be told now; another thing than the last is, at once. Counts as told then. */
  due(what: string): boolean {
    const now = this.#clock.monotonic();
    if (now - this.#asked > this.#forgottenAfter) this.#last = undefined;
    this.#asked = now;
    if (what !== this.#last) this.#pause = firstPause;
    else if (now < this.#next) return false;
    this.#last = what;
    this.#next = now + this.#pause;
    this.#pause = Math.min(this.#pause * 2, longestPause);
    return true;
  }

  /** The trouble is over. @returns whether there was one */
  over(): boolean {
    const was = this.#last !== undefined;
    this.#last = undefined;
    return was;
  }
}
