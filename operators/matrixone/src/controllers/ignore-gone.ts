import { isNotFound } from '@coxswain/runtime/core';

/** Waits for a deletion; what is gone already is no error. */
export async function ignoreGone(deletion: Promise<unknown>): Promise<void> {
  try {
    await deletion;
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
