import { createCache } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import { Echo } from './kind.ts';

/** An informer of the driver on all Echoes. */
export interface Follower extends AsyncDisposable {
  /** Waits until `check`, asked after each event, is true. @throws Error after `limit` milliseconds */
  until(check: () => boolean, limit: number): Promise<void>;
}

/** Calls `onEcho` with each Echo as it is and becomes. */
export async function followEchoes(client: Client, onEcho: (echo: Echo) => void): Promise<Follower> {
  const waiting = new Set<() => void>();
  const cache = createCache({ client });
  const informer = cache.informer(Echo);
  informer.onEvent((event) => {
    if (event.type !== 'deleted') onEcho(event.object);
    for (const look of waiting) look();
  });
  await informer.synced;
  return {
    until(check, limit) {
      return new Promise((resolve, reject) => {
        const settle = (how: () => void) => {
          clearTimeout(timer);
          waiting.delete(look);
          how();
        };
        const look = () => {
          if (check()) settle(resolve);
        };
        const timer = setTimeout(() => settle(() => reject(new Error(`not done after ${limit / 1000} s`))), limit);
        waiting.add(look);
        look();
      });
    },
    [Symbol.asyncDispose]: () => cache.stop(),
  };
}
