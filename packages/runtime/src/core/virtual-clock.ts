import type { Clock, Timer } from './clock.ts';

interface PendingTimer {
  readonly at: number;
  readonly order: number;
  readonly fire: () => void;
}

/** Lets every promise that can go on without time or I/O do so. */
function drain(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * Time that only moves when told to. Timers fire in order of their time, then of their making; between two of them
 * all promise work is drained, so a run is the same each time. Works as long as the code under test waits on nothing
 * but this clock (in-process transport, no sockets, no files).
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  #timers: PendingTimer[] = [];

  /** @param start wall time to begin with; default 2026-01-01T00:00:00Z */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, fire: () => void): Timer {
    const timer: PendingTimer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire };
    let i = this.#timers.length;
    while (i > 0 && (this.#timers[i - 1]?.at ?? 0) > timer.at) i--;
    this.#timers.splice(i, 0, timer);
    return {
      cancel: () => {
        const at = this.#timers.indexOf(timer);
        if (at >= 0) this.#timers.splice(at, 1);
      },
    };
  }

  /** Milliseconds until the next timer, or `undefined` when none is set. */
  get untilNext(): number | undefined {
    const next = this.#timers[0];
    return next && next.at - this.#now;
  }

  /** Moves time on by `ms`, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await drain();
    while ((this.#timers[0]?.at ?? Number.POSITIVE_INFINITY) <= end) await this.#step();
    this.#now = end;
    await drain();
  }

  /**
   * Moves time on until `done()` holds, at most `limit` milliseconds of virtual time.
   * @throws Error naming `what` when the limit passes or no timer is left.
   */
  async runUntil(done: () => boolean, { limit = 3_600_000, what = 'the condition' } = {}): Promise<void> {
    const end = this.#now + limit;
    await drain();
    while (!done()) {
      const next = this.#timers[0];
      if (!next) throw new Error(`virtual time: nothing left to happen, and ${what} does not hold`);
      if (next.at > end) throw new Error(`virtual time: ${what} does not hold after ${limit / 1000}s`);
      await this.#step();
    }
  }

  async #step(): Promise<void> {
    const timer = this.#timers.shift();
    if (!timer) return;
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    await drain();
  }
}
