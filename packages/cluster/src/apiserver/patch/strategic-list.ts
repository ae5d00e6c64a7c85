import { apiError } from '@coxswain/runtime/core';
import { brokenPatch } from './errors.ts';
import { goText } from './go-text.ts';
import { isTree, own, type Tree } from './tree.ts';

/**
 * Merges two lists by the strategy `merge`: maps by `mergeKey` (element directives obeyed), scalars as a set.
 * Elements of the patch keep the patch's order; the others keep their place relative to them as far as possible.
 */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string,
  mergeElements: (original: Tree, patch: Tree) => Tree,
): readonly unknown[] {
  if (original.length === 0 && patch.length === 0) return original;
  if (!holdsMaps(original, patch)) {
    return inOrder([...new Set([...original, ...patch])], patch, original, '');
  }
  if (mergeKey === '') throw brokenPatch('cannot merge lists without merge key for struct');
  const { kept, changes } = applyElementDirectives(original as readonly Tree[], patch as readonly Tree[], mergeKey);
  const merged = [...kept];
  const placeOf = places(kept, (item) => own(item as Tree, mergeKey));
  for (const change of changes) {
    const key = keyOf(change, mergeKey);
    const at = placeOf.get(key) ?? merged.length;
    placeOf.set(key, at);
    const found = merged[at];
    if (found) merged[at] = mergeElements(found, change);
    else merged.push(change);
  }
  return inOrder(merged, changes, kept, mergeKey);
}

/** Puts the elements that `order` names into its order, and the others around them as they were in `original`. */
export function orderByDirective(
  list: readonly unknown[],
  order: readonly unknown[],
  original: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  return list.length === 0 ? list : inOrder(list, order, original, mergeKey);
}

/**
 * Checks that a patch list and its `$setElementOrder` agree: every element that is not deleted is named, in the same order.
 * @throws ApiError 500 as the real server
 */
export function checkElementOrder(patch: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  const items = patch.filter((item) => !(isTree(item) && Object.hasOwn(item, '$patch')));
  const identity = (item: unknown) => (mergeKey === '' ? item : keyOf(item, mergeKey));
  let at = 0;
  for (const named of order) if (at < items.length && identity(items[at]) === identity(named)) at++;
  if (at < items.length) {
    const lists = `${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`;
    throw brokenPatch(`The order in patch list:\n${lists}`);
  }
}

function holdsMaps(original: readonly unknown[], patch: readonly unknown[]): boolean {
  const all = [...original, ...patch];
  if (all.some((item) => Array.isArray(item))) throw apiError(422, 'Invalid', unprocessable, {});
  const maps = all.filter(isTree).length;
  if (maps !== 0 && maps !== all.length) throw brokenPatch(`list element types are not identical: ${goText(all)}`);
  return maps !== 0;
}

const unprocessable = 'the server rejected our request due to an error in our request';

function keyOf(item: unknown, mergeKey: string): unknown {
  if (!isTree(item)) throw brokenPatch(`expected a map[string]interface {}, but received a ${typeof item}`);
  if (!Object.hasOwn(item, mergeKey)) {
    throw brokenPatch(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
  }
  return item[mergeKey];
}

function applyElementDirectives(
  original: readonly Tree[],
  patch: readonly Tree[],
  mergeKey: string,
): { kept: readonly Tree[]; changes: readonly Tree[] } {
  const changes: Tree[] = [];
  const deleted = new Set<unknown>();
  let replace = false;
  for (const item of patch) {
    const directive = own(item, '$patch');
    if (directive === undefined) changes.push(item);
    else if (directive === 'delete') deleted.add(keyOf(item, mergeKey));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw brokenPatch('merging lists cannot yet be specified in the patch');
    else throw brokenPatch(`unknown patch type: ${goText(directive)} in map: ${goText(item)}`);
  }
  if (replace) return { kept: changes, changes: [] };
  return { kept: original.filter((item) => !deleted.has(own(item, mergeKey))), changes };
}

/**
 * `list` reordered: elements named in `first` as they stand there, all others as in `then`. Where both kinds are known to
 * `then`, their order there decides which goes ahead.
 */
function inOrder(
  list: readonly unknown[],
  first: readonly unknown[],
  then: readonly unknown[],
  mergeKey: string,
): readonly unknown[] {
  const identity = (item: unknown) => (mergeKey === '' ? item : keyOf(item, mergeKey));
  const firstPlace = places(first, identity);
  const thenPlace = places(then, identity);
  const place = (map: Map<unknown, number>, item: unknown) => map.get(identity(item)) ?? Number.POSITIVE_INFINITY;
  const named = list.filter((item) => firstPlace.has(identity(item)));
  const others = list.filter((item) => !firstPlace.has(identity(item)));
  named.sort((a, b) => compare(place(firstPlace, a), place(firstPlace, b)));
  others.sort((a, b) => compare(place(thenPlace, a), place(thenPlace, b)));
  const result: unknown[] = [];
  let i = 0;
  let j = 0;
  while (i < others.length || j < named.length) {
    const other = i < others.length ? thenPlace.get(identity(others[i])) : undefined;
    const next = j < named.length ? thenPlace.get(identity(named[j])) : undefined;
    const otherFirst = j >= named.length || (other !== undefined && next !== undefined && other < next);
    result.push(otherFirst ? others[i++] : named[j++]);
  }
  return result;
}

function compare(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

function places(list: readonly unknown[], identity: (item: unknown) => unknown): Map<unknown, number> {
  const map = new Map<unknown, number>();
  list.forEach((item, i) => {
    if (!map.has(identity(item))) map.set(identity(item), i);
  });
  return map;
}
