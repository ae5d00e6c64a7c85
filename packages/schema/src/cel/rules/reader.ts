import type { Value } from '../values/value.ts';

/** Reads JSON as the value its schema makes it. @throws {CelError} when it does not fit the schema */
export type Reader = (json: unknown) => Value;
