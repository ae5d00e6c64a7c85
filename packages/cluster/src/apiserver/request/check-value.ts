import { badRequest } from '@coxswain/runtime/core';

/**
 * Levels of objects and lists that a body, and what a patch makes of an object, may have. The real server takes 10 000; what
 * walks a value here uses the stack, of which some steps of server-side apply would fill all at 1 500.
 */
export const maxDepth = 500;

/**
 * Makes sure that a value can be stored and written as JSON: made of JSON's types, nested no deeper than {@link maxDepth} (so it does not hold itself
 * either), and with finite numbers only; whole ones may be `bigint`s.
 * @throws ApiError BadRequest
 */
export function checkValue(value: unknown): void {
  check(value, maxDepth);
}

/** Makes sure that a parsed JSON value is nested no deeper than {@link maxDepth}. @throws ApiError BadRequest */
export function checkNesting(value: unknown, left: number = maxDepth): void {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw badRequest('exceeded max depth');
  if (Array.isArray(value)) for (const item of value) checkNesting(item, left - 1);
  else for (const key in value) checkNesting((value as Readonly<Record<string, unknown>>)[key], left - 1);
}

/** What JSON's objects and arrays are made of. Looking for a method along the prototypes costs more than all the rest. */
const plain: ReadonlySet<unknown> = new Set([Object.prototype, Array.prototype, null]);

function check(value: unknown, left: number): void {
  if (typeof value === 'function' || typeof value === 'symbol') throw badRequest(`a ${typeof value} is no JSON value`);
  if (typeof value === 'object' && value !== null) {
    if (isDateLike(value)) {
      throw badRequest('a date or the like is no JSON value: write what it stands for as text');
    }
    if (left === 0) throw badRequest('exceeded max depth');
    if (Array.isArray(value)) for (const item of value) check(item, left - 1);
    else for (const key in value) check((value as Readonly<Record<string, unknown>>)[key], left - 1);
  } else if (typeof value === 'number' && !Number.isFinite(value)) {
    throw badRequest(`json: cannot unmarshal number ${value} into a field of the object: it cannot be kept exactly`);
  }
}

function isDateLike(value: object): boolean {
  if (plain.has(Object.getPrototypeOf(value)) && !Object.hasOwn(value, 'toJSON')) return false;
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
