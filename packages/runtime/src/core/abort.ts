import type { Clock } from './clock.ts';

/** Something took longer than it was given. */
export class TimeoutError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TimeoutError';
  }
}

/** The promise, unless the signal is aborted first: then a rejection with the signal's reason. The work itself goes on. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {});
      return onAbort();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    const settled =
      <A>(settle: (value: A) => void) =>
      (value: A) => {
        signal.removeEventListener('abort', onAbort);
        settle(value);
      };
    promise.then(settled(resolve), settled(reject));
  });
}

/** A controller that is aborted with `parent`. Call `unlink` when done, or the parent keeps it alive. */
export function linkedController(parent: AbortSignal | undefined): { controller: AbortController; unlink: () => void } {
  const controller = new AbortController();
  if (!parent) return { controller, unlink: () => {} };
  const onAbort = () => controller.abort(parent.reason);
  if (parent.aborted) onAbort();
  else parent.addEventListener('abort', onAbort, { once: true });
  return { controller, unlink: () => parent.removeEventListener('abort', onAbort) };
}

/**
 * Runs `run` with a signal that is aborted after `ms` milliseconds (or with `parent`), and settles no later than that.
 * @param what names the work in the error, as in "get pods/web-0"
 * @throws TimeoutError when the time is up; the parent's reason when that is aborted
 */
export async function withTimeout<T>(
  clock: Clock,
  ms: number,
  what: string,
  run: (signal: AbortSignal) => Promise<T>,
  parent?: AbortSignal,
): Promise<T> {
  const { controller, unlink } = linkedController(parent);
  const timer = clock.after(ms, () => controller.abort(new TimeoutError(`${what}: no answer within ${ms / 1000}s`)));
  try {
    controller.signal.throwIfAborted();
    return await abortable(run(controller.signal), controller.signal);
  } finally {
    timer.cancel();
    unlink();
  }
}
