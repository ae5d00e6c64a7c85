import { type Clock, sleep } from '@coxswain/runtime/core';

/** Work that is done at once and again after each interval, until it is stopped. What it throws is its own to handle, and is passed over. */
export function repeat(clock: Clock, interval: number, work: (signal: AbortSignal) => Promise<void>) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const run = async () => {
    while (!signal.aborted) {
      await work(signal).catch(() => {});
      await sleep(clock, interval, signal).catch(() => {});
    }
  };
  const running = run();
  return {
    /** Resolves when the work that is being done has ended. */
    stop(): Promise<void> {
      stopping.abort(new Error('stopped'));
      return running;
    },
  };
}
