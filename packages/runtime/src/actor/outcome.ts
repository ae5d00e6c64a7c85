import { ApiError, isConflict, messageOf } from '../core/index.ts';
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

const waitingReason = 'Waiting';

/** What an error thrown by an actor means. */
export function outcomeOfError(error: unknown, retryAfter: number): PassOutcome {
  if (error instanceof Resync) {
    // Never at once: what is waited for would be polled as fast as the machine can.
    const after = error.after && error.after > 0 ? error.after : retryAfter;
    return { type: 'waiting', reason: waitingReason, message: error.message, after };
  }
  if (isConflict(error)) return { type: 'conflict', after: retryAfter };
  return { type: 'failed', error };
}

/** What a condition says of a pass. */
export interface Verdict {
  readonly reason: string;
  readonly message: string;
}

/** The step of the life that a pass was about. */
export type Verb = 'Reconcile' | 'Finalize';

/** An error as conditions tell it: the reason is the server's own when it gave one. A `Resync` is no failure. */
export function failure(error: unknown, verb: Verb): Verdict {
  if (error instanceof Resync) return { reason: waitingReason, message: error.message };
  const known = error instanceof ApiError && /^[A-Za-z][A-Za-z0-9]*$/.test(error.reason);
  return { reason: known ? error.reason : `${verb}Fail`, message: `Last error: ${messageOf(error)}` };
}

/** Why a pass did not reach the desired state; `undefined` when it did, and when it has nothing to say. */
export function shortfall(outcome: PassOutcome, verb: Verb): Verdict | undefined {
  switch (outcome.type) {
    case 'failed':
      return failure(outcome.error, verb);
    case 'looping':
      return { reason: 'ActionLoop', message: outcome.message };
    case 'waiting':
      return { reason: outcome.reason, message: outcome.message };
    case 'reconciling':
      // Cleaning up is no reconciling.
      return verb === 'Finalize' ? undefined : { reason: 'Reconciling', message: 'the object is reconciling' };
    default:
      return undefined;
  }
}
