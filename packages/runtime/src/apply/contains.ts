import { deepEqual, type Fields, isFields, listKeysOf, sameElement, sameQuantity } from '../core/index.ts';

/** Fields whose values are maps of quantities. */
const quantityMaps: ReadonlySet<string> = new Set([
  'requests',
  'limits',
  'capacity',
  'allocatable',
  'hard',
  'overhead',
  'default',
  'defaultRequest',
  'max',
  'min',
]);
/** Fields that are quantities. */
const quantityFields: ReadonlySet<string> = new Set(['sizeLimit', 'divisor', 'averageValue']);

/**
 * Whether `actual` still says all that `desired` says. What the server adds (defaults, status, other managers' fields)
 * does not count; quantities are compared by amount. It errs towards `false`: an element more in a list, or an order
 * that cannot be told to be free, is a difference.
 */
export function contains(actual: unknown, desired: unknown): boolean {
  return holds(actual, desired, '', '');
}

function holds(actual: unknown, desired: unknown, field: string, parent: string): boolean {
  if (desired === undefined) return true;
  if (Array.isArray(desired)) return holdsList(actual, desired, field);
  if (isFields(desired)) {
    if (!isFields(actual)) return actual === undefined && isEmpty(desired);
    return Object.entries(desired).every(([name, value]) => holds(actual[name], value, name, field));
  }
  return sameValue(actual, desired, field, parent);
}

/**
 * Whether two values that are neither lists nor maps are the same; quantities by amount.
 * @param field the name under which they stand @param parent the name above that
 */
export function sameValue(actual: unknown, desired: unknown, field: string, parent: string): boolean {
  if (deepEqual(actual, desired)) return true;
  // The server drops nulls.
  if (desired === null) return actual === undefined;
  const isQuantity = quantityMaps.has(parent) || quantityFields.has(field);
  return isQuantity && sameQuantity(actual, desired);
}

/** Objects that say nothing may be stored as absent. */
function isEmpty(value: Fields): boolean {
  return Object.values(value).every((item) => item === undefined || item === null || (isFields(item) && isEmpty(item)));
}

function holdsList(actual: unknown, desired: readonly unknown[], field: string): boolean {
  if (!Array.isArray(actual)) return actual === undefined && desired.length === 0;
  if (actual.length !== desired.length) return false;
  const inOrder = desired.every((item, i) => holds(actual[i], item, '', field));
  if (inOrder) return true;
  const keys = listKeysOf(desired);
  if (!keys) return false;
  // A key with a default (a port's protocol) may be missing on our side, so the other parts decide alone.
  return desired.every((item) =>
    actual.some((other) => sameElement(other, item, keys) && holds(other, item, '', field)),
  );
}
