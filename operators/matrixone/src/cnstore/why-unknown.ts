import { messageOf } from '@coxswain/runtime/core';
import { NoHaKeeperError } from '../mo/index.ts';
import { CallError } from '../morpc/index.ts';

/** Why something is not known, in words that stay the same as long as the trouble does: they go into conditions and events. */
export function whyUnknown(error: unknown): string {
  if (error instanceof CallError) return `${error.method} at ${error.address} has no answer (${error.failure})`;
  if (error instanceof NoHaKeeperError) return `no HAKeeper is found at ${[...error.tried.keys()].join(', ')}`;
  return messageOf(error);
}
