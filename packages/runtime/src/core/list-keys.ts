import { deepEqual } from './equal.ts';
import { isFields } from './fields.ts';

/** What tells the elements of an associative list apart, tried in this order. */
const listKeys: readonly (readonly string[])[] = [
  ['containerPort', 'protocol'],
  ['port', 'protocol'],
  ['name'],
  ['mountPath'],
  ['devicePath'],
  ['topologyKey', 'whenUnsatisfiable'],
  ['uid'],
  ['type'],
  ['key'],
  ['ip'],
];

/**
 * The names of the fields that tell the elements of an associative list apart, told from the elements alone: all have the
 * first of them; the others may be absent where the server has a default (a port's protocol). `undefined` when there are none.
 */
export function listKeysOf(items: readonly unknown[]): readonly string[] | undefined {
  return listKeys.find(([first = '']) => items.every((item) => isFields(item) && item[first] !== undefined));
}

/** Whether two elements are the same one by `keys`. A key that `b` does not say decides nothing. */
export function sameElement(a: unknown, b: unknown, keys: readonly string[]): boolean {
  return isFields(a) && isFields(b) && keys.every((key) => b[key] === undefined || deepEqual(a[key], b[key]));
}
