import type { Clock } from './clock.ts';

/**
 * For long computations, to be awaited every so often: `await yieldToEventLoop(ctx)`. After 8 ms of promise work it lets I/O and timers
 * have their turn, so that leases are renewed and probes answered meanwhile; before that, and in virtual time, only other promises.
 * @param context a reconcile's, an actor's, or any clock and signal
 * @throws the signal's reason when it is aborted: what is being computed is of no use any more
 */
export async function yieldToEventLoop(context: {
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}): Promise<void> {
  context.signal?.throwIfAborted();
  await context.clock.turn();
  context.signal?.throwIfAborted();
}
