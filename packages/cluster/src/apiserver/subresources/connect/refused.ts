import { ApiError, apiError, badRequest } from '@coxswain/runtime/core';
import { NodeRefusal } from '../../nodes.ts';
import type { ApiResponse } from '../../types.ts';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function internalError(message: string): ApiError {
  return apiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** What a node said instead of the log. The node's own words are the message. */
export function refusedLog(error: unknown, pod: string): ApiError {
  if (error instanceof ApiError) return error;
  const message = textOf(error);
  const code = error instanceof NodeRefusal ? error.code : 500;
  if (code === 400) return badRequest(message);
  if (code !== 404) return internalError(message);
  // The node's words are lost here, and a verb is missing, as on the real server.
  const what = `the server could not find the requested resource ( pods/log ${pod})`;
  return apiError(404, 'NotFound', what, { name: pod, kind: 'pods/log' });
}

/** What a node said instead of taking the connection: passed on as it is. */
export function refusedUpgrade(error: unknown): Extract<ApiResponse, { kind: 'text' }> {
  if (!(error instanceof NodeRefusal)) throw error;
  return { kind: 'text', code: error.code, body: error.message };
}

export const upgradeRequired = (): ApiError => badRequest('Upgrade request required');

export const notScheduled = (pod: string): ApiError => badRequest(`pod ${pod} does not have a host assigned`);
