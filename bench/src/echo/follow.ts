import type { Client } from '@coxswain/runtime/client';
import { Echo } from './kind.ts';

/** A watch of the driver on all Echoes. */
export interface Follower extends AsyncDisposable {
  /** Waits until `check`, asked after each event, is true. @throws Error after `limit` milliseconds */
  until(check: () => boolean, limit: number): Promise<void>;
}

/** Calls `onEcho` with each Echo as it is and becomes. */
export async function followEchoes(client: Client, onEcho: (echo: Echo) => void): Promise<Follower> {
  const stop = new AbortController();
  const waiting = new Set<() => void>();
  let failed: unknown;
  const events = await client.of(Echo).watch({ sendInitialEvents: true, allowBookmarks: true, signal: stop.signal });
  const following = (async () => {
    try {
      for await (const batch of events) {
        for (const { type, object } of batch) if (type === 'ADDED' || type === 'MODIFIED') onEcho(object as Echo);
        for (const look of waiting) look();
      }
      failed = stop.signal.aborted ? undefined : new Error('the watch of the driver ended');
    } catch (error) {
      failed = stop.signal.aborted ? undefined : error;
    }
    for (const look of waiting) look();
  })();
  return {
    until(check, limit) {
      return new Promise((resolve, reject) => {
        const settle = (how: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          how();
        };
        const late = () => settle(() => reject(new Error(`not done after ${limit / 1000} s`)));
        const look = () => {
          if (failed) settle(() => reject(failed));
          else if (check()) settle(resolve);
        };
        const timer = setTimeout(late, limit);
        waiting.add(look);
        look();
      });
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await following;
    },
  };
}
