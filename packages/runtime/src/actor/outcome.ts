import { ApiError, isConflict } from '../core/index.ts';
import { Resync } from './resync.ts';

/**
 * How a pass ended:
 * - `synced`: `observe` found nothing to do.
 * - `reconciling`: an action ran and there is more to do, or its effect is still to come.
 * - `waiting`: for a dependency, or for what a `Resync` says; no error.
 * - `looping`: an action repeats without effect.
 * - `conflict`: someone else wrote first; the next pass sees what.
 * - `failed`: an error; retried with backoff.
 * - `over`: the object went, or began to go, under our hands; `again` is when to look.
 */
export type PassOutcome =
  | { readonly type: 'synced' }
  | { readonly type: 'reconciling'; readonly after: number }
  | { readonly type: 'waiting'; readonly reason: string; readonly message: string; readonly after: number }
  | { readonly type: 'looping'; readonly message: string; readonly after: number; readonly first: boolean }
  | { readonly type: 'conflict'; readonly after: number }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'over'; readonly again?: number };

/** What an error thrown by an actor means. */
export function outcomeOfError(error: unknown, retryAfter: number): PassOutcome {
  if (error instanceof Resync) {
    // Never at once: what is waited for would be polled as fast as the machine can.
    const after = error.after && error.after > 0 ? error.after : retryAfter;
    return { type: 'waiting', reason: 'Waiting', message: error.message, after };
  }
  if (isConflict(error)) return { type: 'conflict', after: retryAfter };
  return { type: 'failed', error };
}

/** An error as a condition's reason: the server's own when it gave one. */
export function reasonOf(error: unknown, fallback: string): string {
  return error instanceof ApiError && /^[A-Za-z][A-Za-z0-9]*$/.test(error.reason) ? error.reason : fallback;
}
