import { ApiError, apiError } from '@coxswain/runtime/core';

/** Bytes that etcd takes in one request, and its client sends in one message. */
const mostInRequest = 1.5 * 1024 * 1024;
const mostInMessage = 2 * 1024 * 1024;

const request = 'etcdserver: request is too large';
const message = 'rpc error: code = ResourceExhausted desc = trying to send message larger than max';

/** Makes sure that an object could be stored in etcd, under its key. @throws ApiError 500 without a reason, as the real server */
export function checkSize(size: number): void {
  if (size > mostInMessage) throw apiError(500, '', `${message} (${size} vs. ${mostInMessage})`);
  if (size > mostInRequest) throw apiError(500, '', request);
}

/** Whether an object was not stored because of its size. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof ApiError && (error.message === request || error.message.startsWith(message));
}
