/**
 * Freezes a JSON value all the way down and answers it. What is frozen already is taken as frozen throughout, so that
 * freezing an object that shares parts with a frozen one is cheap.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else for (const key of Object.keys(value)) deepFreeze((value as Record<string, unknown>)[key]);
  return Object.freeze(value);
}
