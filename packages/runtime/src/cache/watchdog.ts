import { ApiError, type Clock, TimeoutError, type Timer } from '../core/index.ts';

/** Bookmarks come about every minute: a stream that says nothing for so long makes us ask. */
const probeAfter = 75_000;
const probeEvery = 25_000;
/**
 * A stream that says nothing for so long is dead, although the connection may look alive and the server answers others
 * (half-open TCP, a proxy that lost its upstream). One that has brought a bookmark will bring one every minute; one that has not may
 * be of a kind that nothing has happened to since it began, of which kube-apiserver sends none.
 */
const longestSilence = { punctual: 90_000, other: 150_000 };

export interface WatchdogOptions {
  readonly clock: Clock;
  /** Milliseconds the watch may live at all. */
  readonly longest: number;
  /** A short request to the server. @returns the error when it failed */
  readonly probe: (silent: number) => Promise<unknown>;
  /** The watch must be replaced. */
  readonly bite: (reason: Error) => void;
}

/**
 * Ends a watch that is silent, or that the server should have ended long ago. Before silence alone decides, the server is
 * probed: one that does not even answer that has lost the watch too.
 */
export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #deadline: number;
  #lastSeen: number;
  #longestSilence = longestSilence.other;
  #lastProbe = Number.NEGATIVE_INFINITY;
  #timer: Timer;
  #stopped = false;

  constructor(options: WatchdogOptions) {
    this.#options = options;
    this.#lastSeen = options.clock.monotonic();
    this.#deadline = this.#lastSeen + options.longest;
    this.#timer = this.#arm();
  }

  /** Something came. Cheap: the timer is only set again when it fires. */
  feed(): void {
    this.#lastSeen = this.#options.clock.monotonic();
  }

  /** The stream brings bookmarks. */
  punctual(): void {
    this.#longestSilence = longestSilence.punctual;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer.cancel();
  }

  #arm(): Timer {
    const nextProbe = Math.max(this.#lastSeen + probeAfter, this.#lastProbe + probeEvery);
    const due = Math.min(nextProbe, this.#lastSeen + this.#longestSilence, this.#deadline);
    return this.#options.clock.after(due - this.#options.clock.monotonic(), () => this.#check());
  }

  #check(): void {
    const now = this.#options.clock.monotonic();
    const silent = now - this.#lastSeen;
    if (now >= this.#deadline) this.#options.bite(new TimeoutError('the watch outlived its time'));
    else if (silent >= this.#longestSilence)
      this.#options.bite(new TimeoutError(`nothing came for ${this.#longestSilence / 1000}s, not even a bookmark`));
    else {
      if (silent >= probeAfter) void this.#probe(silent, now);
      this.#timer = this.#arm();
    }
  }

  async #probe(silent: number, now: number): Promise<void> {
    this.#lastProbe = now;
    const error = await this.#options.probe(silent);
    // A server that refuses has answered: the connection holds.
    if (error === undefined || error instanceof ApiError || this.#stopped) return;
    if (this.#options.clock.monotonic() - this.#lastSeen < probeAfter) return;
    this.#options.bite(new TimeoutError('the watch is silent, and the server does not answer', { cause: error }));
  }
}
