import { apiError, sleep } from '@coxswain/runtime/core';
import type { Call } from './context.ts';

/** How long a read waits for a revision that is not there yet, in milliseconds. */
const patience = 3_000;
const step = 50;

/**
 * Waits until the store has reached `revision`. @throws ApiError Timeout with cause ResourceVersionTooLarge after 3 s
 */
export async function waitForRevision(call: Call, revision: number): Promise<void> {
  const { storage, clock } = call.server;
  for (let waited = 0; storage.revision < revision; waited += step) {
    if (waited >= patience) throw tooLarge(revision, storage.revision);
    await sleep(clock, step, call.request.signal);
  }
}

function tooLarge(revision: number, current: number): Error {
  return apiError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
