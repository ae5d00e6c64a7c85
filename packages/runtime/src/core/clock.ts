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
}

/** The machine's own clock. A timer keeps the process alive until it fires or is cancelled, so whoever stops must cancel. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, fire) {
    const handle = setTimeout(fire, Math.max(0, Math.min(ms, 2 ** 31 - 1)));
    return { cancel: () => clearTimeout(handle) };
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
