import { type Clock, parseTime } from '@coxswain/runtime/core';

interface Seen {
  readonly at: string;
  /** Milliseconds since `at` when it was first asked for, and what the other clock said then. */
  readonly before: number;
  readonly from: number;
}

/** Moments remembered by one process. */
const most = 100_000;

/**
 * Time since moments that are kept in objects, as the wall clock had them. From the first look on it goes by the clock that nobody puts on or back,
 * so that a step of the wall clock cuts no drain short, and makes no store one that was lost long ago. What was before the first look is
 * the wall clock's word: ask as soon as the moment is known.
 */
export class Elapsed {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Counts from now, not from `at`: nothing before counts against anybody. */
  restart(what: string, at: string): void {
    this.#see(what, { at, before: 0, from: this.#clock.monotonic() });
  }

  /**
   * Milliseconds since `at`; since the first look when that cannot be read, as after somebody's hand: who waits for it must not wait for ever.
   * @param what whose moment it is; another `at` of the same begins anew
   * @param least what to believe at the first look, when it may be still to come; default 0
   */
  since(what: string, at: string, least = 0): number {
    const now = this.#clock.monotonic();
    const seen = this.#seen.get(what);
    if (seen?.at === at) return seen.before + now - seen.from;
    const before = Math.max(least, this.#clock.now() - (readTime(at) ?? Number.POSITIVE_INFINITY));
    this.#see(what, { at, before, from: now });
    return before;
  }

  #see(what: string, seen: Seen): void {
    this.#seen.delete(what);
    this.#seen.set(what, seen);
    const oldest = this.#seen.keys().next();
    if (this.#seen.size > most && !oldest.done) this.#seen.delete(oldest.value);
  }
}

function readTime(text: string): number | undefined {
  try {
    return parseTime(text);
  } catch {
    return undefined;
  }
}
