import { type ApiError, apiError, badRequest } from '@coxswain/runtime/core';
import { goJsonKind } from './go-text.ts';

/** The one answer the server has for every JSON patch that does not apply, a failed `test` included. */
export function patchNotApplicable(cause: string): ApiError {
  const error = apiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {});
  error.cause = cause;
  return error;
}

/** 413: more operations than a patch may have. */
export function tooManyOperations(limit: number, given: number): ApiError {
  const message = `The allowed maximum operations in a JSON patch is ${limit}, got ${given}`;
  return apiError(413, 'RequestEntityTooLarge', `Request entity too large: ${message}`);
}

/** 400: a part of the patch is not what `target` (a Go type name) can hold. */
export function undecodable(value: unknown, target: string): ApiError {
  return badRequest(`error decoding patch: json: cannot unmarshal ${goJsonKind(value)} into Go ${target}`);
}

/** 500 without a reason, as the real server answers when a strategic patch contradicts itself. */
export function brokenPatch(message: string): ApiError {
  return apiError(500, '', message);
}
