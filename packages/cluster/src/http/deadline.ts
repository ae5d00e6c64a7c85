import { apiError, type Clock } from '@coxswain/runtime/core';
import { leadsOut } from './connect-path.ts';
import type { HttpRequest } from './http-message.ts';
import type { Target } from './to-request.ts';

/** Milliseconds a request that changes something may take; it might still complete after the client was told. */
const mutatingLimit = 34_000;
const readingLimit = 60_000;

/** The answer, or 504 Timeout when it takes longer than the real server would wait. `onLate` is called then. */
export function withDeadline<T>(answer: Promise<T>, clock: Clock, limit: number, onLate: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limit, () => {
      onLate();
      reject(apiError(504, 'Timeout', 'Timeout: request did not complete within the allotted timeout'));
    });
    answer.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** How long a request may take; `undefined` for those that stream. */
export function limitOf(request: Pick<HttpRequest, 'method'>, target: Target): number | undefined {
  const { watch, follow } = target.query;
  if (watch === 'true' || watch === '1' || follow === 'true' || follow === '1') return undefined;
  if (target.path.includes('/watch/') || leadsOut(target.path)) return undefined;
  return request.method === 'GET' || request.method === 'HEAD' ? readingLimit : mutatingLimit;
}
