import { type Clock, TimeoutError, type Timer } from '../core/index.ts';

/**
 * Bookmarks come about every minute; a stream that says nothing for so long is taken as dead, although the connection may
 * look alive (half-open TCP, a proxy that lost its upstream).
 */
const longestSilence = 150_000;

/** Ends a watch that is silent, or that the server should have ended long ago. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #deadline: number;
  readonly #bite: (reason: TimeoutError) => void;
  #lastSeen: number;
  #timer: Timer;

  /** @param longest milliseconds the watch may live at all */
  constructor(clock: Clock, longest: number, bite: (reason: TimeoutError) => void) {
    this.#clock = clock;
    this.#bite = bite;
    this.#lastSeen = clock.monotonic();
    this.#deadline = this.#lastSeen + longest;
    this.#timer = this.#arm();
  }

  /** Something came. Cheap: the timer is only set again when it fires. */
  feed(): void {
    this.#lastSeen = this.#clock.monotonic();
  }

  stop(): void {
    this.#timer.cancel();
  }

  #arm(): Timer {
    const due = Math.min(this.#lastSeen + longestSilence, this.#deadline);
    return this.#clock.after(due - this.#clock.monotonic(), () => this.#check());
  }

  #check(): void {
    const now = this.#clock.monotonic();
    if (now >= this.#deadline) this.#bite(new TimeoutError('the watch outlived its time'));
    else if (now >= this.#lastSeen + longestSilence) {
      this.#bite(new TimeoutError(`nothing came for ${longestSilence / 1000}s, not even a bookmark`));
    } else this.#timer = this.#arm();
  }
}
