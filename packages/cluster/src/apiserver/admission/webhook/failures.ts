import type { Status } from '@coxswain/k8s';
import { ApiError, apiError, badRequest } from '@coxswain/runtime/core';
import { isObject } from '../../builtin/shared/draft.ts';

/** A webhook could not be asked, or did not answer as it should. The hook's failure policy decides what that means. */
export class CallFailure extends Error {
  constructor(hook: string, why: string) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${why}`);
    this.name = 'CallFailure';
  }
}

export function internalError(message: string): ApiError {
  return apiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

export function dryRunUnsupported(hook: string): ApiError {
  return badRequest(`admission webhook ${JSON.stringify(hook)} does not support dry run`);
}

/** The answer to a client whose write a webhook refused: what the webhook said, made a failure and signed with its name. */
export function denied(hook: string, result: unknown): ApiError {
  const given = (isObject(result) ? result : {}) as Partial<Status>;
  const by = `admission webhook ${JSON.stringify(hook)} denied the request`;
  const message = given.message
    ? `${by}: ${given.message}`
    : given.reason
      ? `${by}: ${given.reason}`
      : `${by} without explanation`;
  const code = typeof given.code === 'number' && given.code >= 400 ? given.code : 400;
  const status = given.status && given.status !== 'Success' ? given.status : 'Failure';
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: given.metadata ?? {},
    status,
    message,
    ...(given.reason ? { reason: given.reason } : {}),
    ...(given.details ? { details: given.details } : {}),
    code,
  });
}
