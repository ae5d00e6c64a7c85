import { ApiError, type Clock, type Random, sleep } from '../core/index.ts';
import { ConnectionError, TransportClosed } from './errors.ts';

export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether the call may be made twice although the first may have had its effect. */
  readonly idempotent: boolean;
  /** Retries after the first try; default 4. */
  readonly retries?: number;
  /** On the monotonic clock: what cannot be tried again before it fails at once. */
  readonly deadline: number;
  readonly signal?: AbortSignal;
}

/** Answers of a server or of what stands before it that pass by themselves, said before anything was read. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * Makes a call again when the server turned it away before doing anything (429, 503 with Retry-After). A call that is
 * idempotent is also made again without Retry-After, after a broken connection, a 502 or 504, and any failure of the server
 * that has a Retry-After. The server's wish is heeded, or the call fails at once when its deadline comes first.
 */
export async function retrying<T>(call: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, random, idempotent, deadline, retries = 4, signal } = options;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      const wait = attempt < retries && !signal?.aborted ? waitBefore(error, attempt, idempotent) : undefined;
      if (wait === undefined) throw error;
      const ms = wait * (1 + 0.1 * random.next());
      if (clock.monotonic() + ms >= deadline) throw error;
      await sleep(clock, ms, signal);
    }
  }
}

/** Milliseconds to wait before the next try; `undefined`: do not try again. */
function waitBefore(error: unknown, attempt: number, idempotent: boolean): number | undefined {
  const backoff = 200 * 2 ** attempt;
  if (error instanceof TransportClosed) return undefined;
  if (error instanceof ConnectionError) return idempotent ? backoff : undefined;
  if (!(error instanceof ApiError)) return undefined;
  const { code, retryAfter } = error;
  if (!idempotent) return code === 429 || code === 503 ? retryAfter : undefined;
  if (retryAfter !== undefined && (code === 429 || code >= 500)) return retryAfter;
  return passing.has(code) ? backoff : undefined;
}
