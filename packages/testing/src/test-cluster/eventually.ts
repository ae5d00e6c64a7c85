import type { Clock } from '@coxswain/runtime/core';
import { TestTimeout } from './errors.ts';
import { passTime } from './pass-time.ts';
import type { WaitOptions } from './types.ts';

/** Milliseconds between two tries: at first, and at most. */
const shortest = 2;
const longest = 100;

/** See {@link TestCluster.eventually}. */
export async function eventually<R>(
  clock: Clock,
  check: () => R | Promise<R>,
  { timeout = 30_000, what = 'the condition' }: WaitOptions = {},
): Promise<Exclude<R, false>> {
  const end = clock.monotonic() + timeout;
  for (let pause = shortest; ; pause = Math.min(pause * 2, longest)) {
    let cause: unknown;
    try {
      const answer = await check();
      if (answer !== false) return answer as Exclude<R, false>;
    } catch (error) {
      cause = error;
    }
    if (clock.monotonic() >= end) {
      const why = cause instanceof Error ? `: ${cause.message}` : '';
      throw new TestTimeout(`${what} does not hold after ${timeout / 1000}s${why}`, { cause });
    }
    await passTime(clock, pause);
  }
}
