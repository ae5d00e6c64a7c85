import { ApiError } from '../core/index.ts';
import { ConnectionError } from './errors.ts';

type Answer = { readonly kind?: unknown; readonly status?: unknown } | string | null | undefined;

/**
 * What answers a verb must be an object: taken for one, the page of a proxy or of a login would be an object without anything.
 * @param what names the call: `get pods default/web-0`
 * @throws ConnectionError when it is none, ApiError when it is a failure that came with a code of success
 */
export function checkAnswer(what: string, answer: unknown): void {
  const given = answer as Answer;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConnectionError(
      `${what}: what answered sent no object; look whether the address is that of an API server`,
    );
  }
  if (given.kind === 'Status' && given.status === 'Failure') throw new ApiError(given as never);
}
