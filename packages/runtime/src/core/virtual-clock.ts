import type { Clock, Timer } from './clock.ts';
import { type PendingTimer, TimerHeap } from './timer-heap.ts';

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
  /** What the wall clock was put on, or back. */
  #jumped = 0;
  #order = 0;
  readonly #timers = new TimerHeap();

  /** @param start wall time to begin with; default 2026-01-01T00:00:00Z */
  constructor(start: number = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#jumped;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, fire: () => void): Timer {
    const timer: PendingTimer = { at: this.#now + Math.max(0, ms), order: this.#order++, fire, cancelled: false };
    this.#timers.push(timer);
    return { cancel: () => this.#timers.cancel(timer) };
  }

  /** Puts the wall clock on by `ms` (back, when negative), as an administrator or a time server does. Timers do not notice. */
  jump(ms: number): void {
    this.#jumped += ms;
  }

  turn(): undefined {
    return undefined;
  }

  /** Milliseconds until the next timer, or `undefined` when none is set. */
  get untilNext(): number | undefined {
    const next = this.#timers.peek();
    return next && Math.max(0, next.at - this.#now);
  }

  /** Lets promise work go on, without moving time. */
  async settle(): Promise<void> {
    await drain();
  }

  /** Moves time on by `ms`, firing what falls due on the way. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await drain();
    while ((this.#timers.peek()?.at ?? Number.POSITIVE_INFINITY) <= end) await this.#step();
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
      const next = this.#timers.peek();
      if (!next) throw new Error(`virtual time: nothing left to happen, and ${what} does not hold`);
      if (next.at > end) throw new Error(`virtual time: ${what} does not hold after ${limit / 1000}s`);
      await this.#step();
    }
  }

  /**
   * Moves time on until a promise is settled, at most `limit` milliseconds of virtual time; default ten minutes.
   * @throws what the promise rejects with, and as {@link runUntil} does
   */
  async drive<T>(promise: Promise<T>, { limit = 600_000, what = 'the call' } = {}): Promise<T> {
    let settled = false;
    const mark = () => {
      settled = true;
    };
    promise.then(mark, mark);
    await this.runUntil(() => settled, { limit, what });
    return promise;
  }

  async #step(): Promise<void> {
    const timer = this.#timers.pop();
    if (!timer) return;
    this.#now = Math.max(this.#now, timer.at);
    timer.fire();
    await drain();
  }
}
