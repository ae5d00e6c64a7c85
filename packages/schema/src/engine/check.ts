import type { Report } from './report.ts';

/**
 * Tests one value. Without a report it stops at the first violation and allocates nothing; with one it goes through
 * everything and writes down what it finds. Answers whether the value is valid.
 */
export type Check = (value: unknown, report: Report | undefined) => boolean;

/** JSON types as the server sees them; `null` is apart. */
export type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';

const int64Limit = 2 ** 63;

/**
 * The kind of a value that is not null. A `bigint` is an integer that no double holds; beyond 64 bits the server has a
 * double instead. Anything that is no JSON counts as an object.
 */
export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'boolean';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < int64Limit ? 'integer' : 'number';
    case 'bigint':
      return isInt64(value) ? 'integer' : 'number';
    default:
      return Array.isArray(value) ? 'array' : 'object';
  }
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** Runs checks one after another; without a report the first failure ends it. */
export function runChecks(checks: readonly Check[], value: unknown, report: Report | undefined): boolean {
  let valid = true;
  for (let i = 0; i < checks.length; i++) {
    if (checks[i]?.(value, report) === false) {
      if (!report) return false;
      valid = false;
    }
  }
  return valid;
}
