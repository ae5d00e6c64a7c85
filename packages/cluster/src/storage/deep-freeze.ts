/**
 * Freezes a JSON value all through and answers it. A part that is frozen already is taken to be frozen below as well:
 * new versions of an object share most of their parts with the stored one, and those are not walked again.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) deepFreeze(value[i]);
  } else {
    for (const key in value) deepFreeze(value[key]);
  }
  return Object.freeze(value);
}
