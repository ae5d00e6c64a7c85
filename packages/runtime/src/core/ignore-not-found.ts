import { isNotFound } from './errors.ts';

/** Waits for a deletion, or another call of an object that may be gone already, which is no error then. `undefined`: it was. */
export async function ignoreNotFound<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
