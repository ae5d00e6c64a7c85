// What failures of lists and watches mean to a watcher.

import { ConnectionError } from '../client/index.ts';
import { ApiError, TimeoutError } from '../core/index.ts';

/** The server knows what is asked and will not do it: WatchList is off, or unknown to it. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 400 || error.code === 422);
}

/** A list that is whole may be more than the server has time or room for; a part of it is not. */
export function isTooMuch(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 413 || error.code === 500 || error.code === 504;
  return error instanceof TimeoutError;
}

/** Whether nothing was heard from the server itself. */
export function isOutage(error: unknown): boolean {
  if (error instanceof ApiError) return error.code >= 502 && error.code <= 504;
  return error instanceof ConnectionError || error instanceof TimeoutError;
}

export function isBusy(error: ApiError): boolean {
  return error.code === 429 || error.code === 503 || error.code === 504;
}
