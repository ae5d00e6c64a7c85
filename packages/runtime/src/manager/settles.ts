import type { Clock } from '../core/index.ts';

/** Waits for `work`, at most `ms` milliseconds. @returns whether it has ended by then. @throws what it throws by then */
export async function settles(clock: Clock, ms: number, work: Promise<unknown>): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const timer = clock.after(Math.max(ms, 0), () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    timer.cancel();
  }
}
