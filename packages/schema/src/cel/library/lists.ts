import { listMacros } from '../syntax/macros.ts';
import type { Library } from '../types/environment.ts';
import { type Overload, overload } from '../types/overload.ts';
import { add } from '../values/arithmetic.ts';
import { compare, equal } from '../values/compare.ts';
import { typeNameOf } from '../values/describe.ts';
import { CelError } from '../values/errors.ts';
import { ArrayList, CelList } from '../values/list.ts';
import { CelDouble, CelUint, Duration, type Value } from '../values/value.ts';
import { integer, list } from './arguments.ts';
import { contains } from './operators.ts';

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'] as const;

const zeros: Readonly<Record<string, Value>> = {
  int: 0,
  uint: new CelUint(0n),
  double: new CelDouble(0),
  duration: new Duration(0n),
};

function isSorted(items: Value): boolean {
  let previous: Value | undefined;
  for (const item of list(items)) {
    if (previous !== undefined && compare(previous, item) > 0) return false;
    previous = item;
  }
  return true;
}

/** The item that comes before (`sign` -1) or after (1) all the others; the first among equals. */
function extreme(items: Value, sign: 1 | -1): Value {
  let best: Value | undefined;
  for (const item of list(items)) {
    if (best === undefined || compare(item, best) * sign > 0) best = item;
  }
  if (best === undefined) throw new CelError(`${sign < 0 ? 'min' : 'max'} called on empty list`);
  return best;
}

function sum(items: Value, zero: Value): Value {
  let total = zero;
  for (const item of list(items)) total = add(total, item);
  return total;
}

function position(items: Value, wanted: Value, fromEnd: boolean): number {
  const all = list(items);
  for (let step = 0; step < all.size; step += 1) {
    const index = fromEnd ? all.size - 1 - step : step;
    if (equal(all.at(index), wanted)) return index;
  }
  return -1;
}

function includes(target: Value, wanted: Value): boolean {
  return target instanceof CelList ? contains(wanted, target) : equal(target, wanted);
}

/** Kubernetes' own list functions. `includes` is the latest of them. */
export function kubernetesLists({ withIncludes }: { readonly withIncludes: boolean }): Library {
  const every = (make: (type: string) => Overload) => comparable.map(make);
  return {
    overloads: [
      ...every((type) => overload(`list_${type}_is_sorted_bool`, `list(${type})::isSorted() -> bool`, isSorted)),
      ...Object.entries(zeros).map(([type, zero]) =>
        overload(`list_${type}_sum_${type}`, `list(${type})::sum() -> ${type}`, (items) => sum(items, zero)),
      ),
      ...every((type) => overload(`list_${type}_max_${type}`, `list(${type})::max() -> ${type}`, (a) => extreme(a, 1))),
      ...every((type) =>
        overload(`list_${type}_min_${type}`, `list(${type})::min() -> ${type}`, (a) => extreme(a, -1)),
      ),
      overload('list_a_index_of_int', 'list(A)::indexOf(A) -> int', (a, b) => position(a, b, false)),
      overload('list_a_last_index_of_int', 'list(A)::lastIndexOf(A) -> int', (a, b) => position(a, b, true)),
      ...(withIncludes ? [overload('list_includes_dyn_dyn', 'dyn::includes(dyn) -> bool', includes)] : []),
    ],
  };
}

function slice(items: Value, from: Value, to: Value): Value {
  const all = list(items);
  const [start, end] = [integer(from), integer(to)];
  const refused = (why: string) => new CelError(`cannot slice(${start}, ${end}), ${why}`);
  if (start < 0 || end < 0) throw refused('negative indexes not supported');
  if (start > end) throw refused('start index must be less than or equal to end index');
  if (all.size < end) throw refused(`list is length ${all.size}`);
  return new ArrayList(Array.from({ length: end - start }, (_, index) => all.at(start + index)));
}

function flatten(items: CelList, depth: number, into: Value[]): Value[] {
  for (const item of items) {
    if (item instanceof CelList && depth > 0) flatten(item, depth - 1, into);
    else into.push(item);
  }
  return into;
}

function flattened(items: Value, depth: number): Value {
  if (depth < 0) throw new CelError('level must be non-negative');
  return new ArrayList(flatten(list(items), depth, []));
}

const maxRange = 1_000_000;

function range(size: Value): Value {
  const count = integer(size);
  if (count < 0) throw new CelError(`lists.range: size must be non-negative, got ${count}`);
  if (count > maxRange) throw new CelError(`lists.range: size ${count} exceeds maximum allowed (${maxRange})`);
  return new ArrayList(Array.from({ length: count }, (_, index) => index));
}

function distinct(items: Value): Value {
  const kept: Value[] = [];
  const seen = new Set<Value>();
  for (const item of list(items)) {
    if (typeof item !== 'object' ? seen.has(item) : kept.some((other) => equal(item, other))) continue;
    if (typeof item !== 'object') {
      if (kept.some((other) => typeof other === 'object' && equal(item, other))) continue;
      seen.add(item);
    }
    kept.push(item);
  }
  return new ArrayList(kept);
}

function sortByKeys(items: Value, keys: Value): Value {
  const all = [...list(items)];
  const order = [...list(keys)];
  const [first] = order;
  if (first === undefined) return items;
  const type = typeNameOf(first);
  if (order.some((key) => typeNameOf(key) !== type)) throw new CelError('list elements must have the same type');
  compare(first, first);
  const indexes = all.map((_, index) => index);
  indexes.sort((a, b) => compare(order[a] ?? null, order[b] ?? null));
  return new ArrayList(indexes.map((index) => all[index] ?? null));
}

/** The extension for lists, version 3. */
export const listsLibrary: Library = {
  macros: listMacros,
  overloads: [
    overload('list_slice', 'list(T)::slice(int, int) -> list(T)', slice),
    overload('list_flatten', 'list(list(T))::flatten() -> list(T)', (items) => flattened(items, 1)),
    overload('list_flatten_int', 'list(dyn)::flatten(int) -> list(dyn)', (items, depth) =>
      flattened(items, integer(depth)),
    ),
    ...comparable.map((type) =>
      overload(`list_${type}_sort`, `list(${type})::sort() -> list(${type})`, (items) => sortByKeys(items, items)),
    ),
    ...comparable.map((type) =>
      overload(
        `list_${type}_sortByAssociatedKeys`,
        `list(T)::@sortByAssociatedKeys(list(${type})) -> list(T)`,
        sortByKeys,
      ),
    ),
    overload('lists_range', 'lists.range(int) -> list(int)', range),
    overload('list_reverse', 'list(T)::reverse() -> list(T)', (items) => new ArrayList([...list(items)].reverse())),
    overload('list_distinct', 'list(T)::distinct() -> list(T)', distinct),
  ],
};

function covers(items: CelList, wanted: CelList): boolean {
  for (const item of wanted) if (!contains(item, items)) return false;
  return true;
}

function intersects(a: CelList, b: CelList): boolean {
  for (const item of a) if (contains(item, b)) return true;
  return false;
}

export const setsLibrary: Library = {
  overloads: [
    overload('list_sets_contains_list', 'sets.contains(list(T), list(T)) -> bool', (a, b) => covers(list(a), list(b))),
    overload(
      'list_sets_equivalent_list',
      'sets.equivalent(list(T), list(T)) -> bool',
      (a, b) => covers(list(a), list(b)) && covers(list(b), list(a)),
    ),
    overload('list_sets_intersects_list', 'sets.intersects(list(T), list(T)) -> bool', (a, b) =>
      intersects(list(a), list(b)),
    ),
  ],
};
