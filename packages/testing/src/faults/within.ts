import { systemClock } from '@coxswain/runtime/core';

/** Milliseconds for what should take moments. */
export const moments = 60_000;

/** The answer of a promise. @throws Error that says what was waited for, after so many milliseconds */
export async function within<A>(ms: number, what: string, promise: Promise<A>): Promise<A> {
  const late = Promise.withResolvers<never>();
  const timer = systemClock.after(ms, () => late.reject(new Error(`${what}: not within ${ms / 1000}s`)));
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    timer.cancel();
  }
}
