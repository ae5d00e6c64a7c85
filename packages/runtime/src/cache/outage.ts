import { type Clock, linkedController, type Random, sleep } from '../core/index.ts';

/** Milliseconds within which those that are woken together try again, each at a random time. */
const spread = 1_000;
/** Milliseconds after which one that was woken may be woken again: the server may answer others, and not it. */
const rest = 5_000;

/** Those that wait for a server out of reach. When anyone hears of it again, they need not wait to their end. */
export class Outage {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** The server has answered. Cheap: comes with every batch of events. */
  heard(): void {
    for (const wake of this.#waiting) wake();
  }

  /** A wait of its own for one that may be out of reach: `ms` milliseconds, or until soon after the server is heard of. */
  waiter(): (ms: number, signal: AbortSignal) => Promise<void> {
    let restsUntil = Number.NEGATIVE_INFINITY;
    return async (ms, signal) => {
      const until = this.#clock.monotonic() + ms;
      const { controller, unlink } = linkedController(signal);
      const wake = () => {
        const now = this.#clock.monotonic();
        if (now < restsUntil) return;
        restsUntil = now + rest;
        controller.abort();
      };
      this.#waiting.add(wake);
      try {
        await sleep(this.#clock, ms, controller.signal);
        return;
      } catch {
        signal.throwIfAborted();
      } finally {
        this.#waiting.delete(wake);
        unlink();
      }
      await sleep(this.#clock, Math.min(until - this.#clock.monotonic(), spread * this.#random.next()), signal);
    };
  }
}
