import { type Clock, type Logger, linkedController, type Random, Repeats, sleep } from '../core/index.ts';

/** Milliseconds within which those that are woken together try again, each at a random time. */
const spread = 1_000;
/** Milliseconds after which one that was woken may be woken again: the server may answer others, and not it. */
const rest = 5_000;

/** Those that wait for a server out of reach, of which it is told once for all. When anyone hears of it again, they need not wait to their end. */
export class Outage {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #repeats: Repeats;
  readonly #waiting = new Set<() => void>();
  /** Since when it is known to be out of reach. */
  #since: number | undefined;
  #told = false;
  #contacts = 0;
  #lastHeard = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, random: Random, log: Logger) {
    this.#clock = clock;
    this.#random = random;
    this.#log = log;
    // Longer than any wait of those that try.
    this.#repeats = new Repeats(clock, { forgottenAfter: 120_000 });
  }

  /** How often the server was heard of. */
  get contacts(): number {
    return this.#contacts;
  }

  /** Milliseconds since the server was last heard of; infinite: never. */
  get silence(): number {
    return this.#clock.monotonic() - this.#lastHeard;
  }

  /** Somebody tried and heard nothing. Told when it begins and at growing intervals. @param said what the try ended with */
  tell(said: string): void {
    this.#since ??= this.#clock.monotonic();
    if (!this.#repeats.due('outage')) return;
    this.#told = true;
    this.#log.warn({ said }, 'the API server is out of reach; what is known of it may be old until it answers');
  }

  /** The server has answered. Cheap: comes with every batch of events. */
  heard(): void {
    this.#contacts++;
    this.#lastHeard = this.#clock.monotonic();
    if (this.#since !== undefined) this.#over(this.#since);
    for (const wake of this.#waiting) wake();
  }

  #over(since: number): void {
    this.#since = undefined;
    if (!this.#told) return;
    this.#told = false;
    const outageMs = Math.round(this.#clock.monotonic() - since);
    this.#log.info({ outageMs }, 'the API server answers again');
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
