import { ApiError, TimeoutError } from '../core/index.ts';

/** The server could not be asked, or the answer broke off: refused, reset, unresolvable, TLS failure. `cause` has the original. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}

/** The transport was closed by this process, before a call or during it: it must open another one. */
export class TransportClosed extends ConnectionError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TransportClosed';
  }
}

const transientCodes: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

/**
 * Whether the same call may succeed if it is made again a little later: the connection failed, the time ran out, or the
 * server was overloaded, starting or failing. Conflicts are not transient: read again first.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof TransportClosed) return false;
  if (error instanceof ConnectionError || error instanceof TimeoutError) return true;
  return error instanceof ApiError && transientCodes.has(error.code);
}
