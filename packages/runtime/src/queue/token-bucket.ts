import type { Clock } from '../core/index.ts';
import type { RateLimit } from './options.ts';

/** Lets `burst` through at once and `perSecond` after that. */
export class TokenBucket {
  readonly #clock: Clock;
  readonly #rate: RateLimit;
  #tokens: number;
  #at: number;

  constructor(clock: Clock, rate: RateLimit) {
    this.#clock = clock;
    this.#rate = rate;
    this.#tokens = rate.burst;
    this.#at = clock.monotonic();
  }

  /** Milliseconds until a token is there; 0 when one is. */
  get wait(): number {
    this.#refill();
    // A timer that fires a rounding error early must not find the bucket empty again for ever.
    return this.#tokens >= 1 - 1e-6 ? 0 : ((1 - this.#tokens) * 1000) / this.#rate.perSecond;
  }

  /** Takes a token if there is one. */
  take(): boolean {
    if (this.wait > 0) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const now = this.#clock.monotonic();
    this.#tokens = Math.min(this.#rate.burst, this.#tokens + ((now - this.#at) * this.#rate.perSecond) / 1000);
    this.#at = now;
  }
}
