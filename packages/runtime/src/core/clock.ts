/** A timer that can be called off. Calling `cancel` twice, or after it fired, does nothing. */
export interface Timer {
  cancel(): void;
}

/**
 * Where all time comes from. Nothing in the product reads `Date`, `setTimeout` or `performance` but through a clock,
 * so that every part runs in virtual time in tests.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Monotonic milliseconds; only differences mean anything. Deadlines use this. */
  monotonic(): number;
  /** Calls `fire` once after `ms` milliseconds (negative counts as 0). */
  after(ms: number, fire: () => void): Timer;
  /**
   * To be awaited between two pieces of work in a loop that may go on for long by promises alone: after 8 ms of it lets I/O and timers
   * have their turn. `undefined` when it is not time yet, and always in virtual time.
   */
  turn(): Promise<void> | undefined;
}

/** Milliseconds of promise work after which the event loop gets its turn (`spec/framework.md` §6.5). */
const turnAfter = 8;
let lastTurn = 0;
/** The turn that is being waited for: all who ask meanwhile wait for the same one, or each would work on for its 8 ms in turn. */
let nextTurn: Promise<void> | undefined;

/** The machine's own clock. A timer keeps the process alive until it fires or is cancelled, so whoever stops must cancel. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire) {
    const handle = setTimeout(fire, Math.max(0, Math.min(ms, 2 ** 31 - 1)));
    return { cancel: () => clearTimeout(handle) };
  },
  turn() {
    if (nextTurn) return nextTurn;
    if (performance.now() - lastTurn < turnAfter) return undefined;
    nextTurn = new Promise((resolve) => {
      setImmediate(() => {
        lastTurn = performance.now();
        nextTurn = undefined;
        resolve();
      });
    });
    return nextTurn;
  },
};

/** Resolves after `ms`; rejects with the signal's reason when it is aborted first. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
