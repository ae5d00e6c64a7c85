import type { Status } from '@coxswain/k8s';
import { ApiError, apiError } from '@coxswain/runtime/core';

/** 401 for credentials that are wrong (not for missing ones: those are anonymous). */
export const unauthorized = (): ApiError => apiError(401, 'Unauthorized', 'Unauthorized');

export const tooLarge = (limit: number): ApiError =>
  apiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);

/** Texts of the real server, which clients and people look for. */
export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const text = `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`;
  return apiError(415, 'UnsupportedMediaType', text);
}

export function notAcceptable(accepted: readonly string[]): ApiError {
  return apiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
}

/** The `Status` that tells a client of any failure; a fault of the server is 500 InternalError. */
export function statusOf(error: unknown): Status {
  if (error instanceof ApiError) return error.status;
  const message = error instanceof Error ? error.message : String(error);
  return apiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }).status;
}
