import type { Clock } from '../core/index.ts';

/** Writes that were sent under a lease, and may not have arrived yet. */
export class WritesUnderWay {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #count = 0;
  /** When the last one was sent of which nobody knows whether it arrived. */
  #cutOff = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** One is about to be sent. Call what it answers when it has ended, with whether the server answered. */
  began(): (answered: boolean) => void {
    const sent = this.#clock.monotonic();
    this.#count++;
    return (answered) => {
      this.#count--;
      if (!answered) this.#cutOff = Math.max(this.#cutOff, sent);
    };
  }

  /** Whether every write has arrived, or has had `ms` milliseconds to do so. */
  over(ms: number): boolean {
    return this.#count === 0 && this.#clock.monotonic() >= this.#cutOff + ms;
  }
}
