import { CelList } from '../values/list.ts';
import { Duration, Opaque, type Value } from '../values/value.ts';
import { sizeOf, traversalCost } from './sizes.ts';

/**
 * What a call costs at run time (`spec/embedded.md` §1.11: the budgets of a rule are in these units): a fixed number,
 * by its arguments (charged before the work is done), or by its result.
 */
export type CallCost =
  | number
  | { readonly by: 'arguments'; readonly cost: (a: Value, b: Value, c: Value) => number }
  | { readonly by: 'result'; readonly cost: (result: Value) => number };

const perUnit = 0.1;
const perPatternUnit = 0.25;

function scan(size: number, factor = perUnit): number {
  return Math.ceil(size * factor);
}

function byArguments(cost: (a: Value, b: Value, c: Value) => number): CallCost {
  return { by: 'arguments', cost };
}

const scanFirst = byArguments((a) => scan(sizeOf(a)));
const scanSecond = byArguments((_, b) => scan(sizeOf(b)));
const scanTwice = byArguments((a) => scan(sizeOf(a), 2 * perUnit));
const traverse = byArguments((a) => traversalCost(a));
const pattern = byArguments((a, b) => scan(1 + sizeOf(a)) * scan(sizeOf(b), perPatternUnit));
const smaller = byArguments((a, b) => scan(Math.min(sizeOf(a), sizeOf(b))));
const both = byArguments((a, b) => scan(sizeOf(a) + sizeOf(b)));

/** Equality of library values is one step, whatever their size. */
export const equalityCost = (a: Value, b: Value): number => {
  if (a instanceof Opaque) return 1;
  return scan(Math.min(sizeOf(a), sizeOf(b)));
};

function selfCompare(value: Value): number {
  if (!(value instanceof CelList) || value.size === 0) return 11;
  const first = value.at(0);
  const factor = typeof first === 'string' || first instanceof Uint8Array ? 2.1 : 2;
  return Math.floor(value.size * value.size * factor) + 11;
}

const listResult: CallCost = { by: 'result', cost: (result) => sizeOf(result) + 11 };
const flattened = byArguments((a, depth) => {
  const levels = typeof depth === 'number' ? depth : 1;
  return Math.floor(sizeOf(a) * (levels < 0 ? 1 : levels)) + 11;
});

function containsNetwork(inner: boolean, fromText: boolean): CallCost {
  return byArguments((a, b) => {
    const own = sizeOf(a);
    const masked = inner ? scan(own) + 1 : 0;
    return scan(2 * own) + masked + (fromText ? scan(sizeOf(b)) : 0);
  });
}

const setProduct = (factor: number) => byArguments((a, b) => 1 + sizeOf(a) * sizeOf(b) * factor);
const selector = byArguments((_, b) => {
  const size = sizeOf(b);
  return 10 + scan(size) + Math.ceil(Math.ceil(size * 0.5) * 50);
});

/** By overload, before anything else. */
const byOverload: Readonly<Record<string, CallCost>> = {
  list_slice: listResult,
  list_flatten: flattened,
  list_flatten_int: flattened,
  lists_range: byArguments((n) => (typeof n === 'number' && n >= 0 ? n : 1) + 11),
  list_reverse: byArguments((a) => sizeOf(a) + 11),
  list_distinct: byArguments(selfCompare),
  list_sets_contains_list: setProduct(1),
  list_sets_intersects_list: setProduct(1),
  list_sets_equivalent_list: setProduct(2),
  cidr_ip: 1,
  cidr_contains_ip_string: containsNetwork(false, true),
  cidr_contains_ip_ip: containsNetwork(false, false),
  cidr_contains_cidr_string: containsNetwork(true, true),
  cidr_contains_cidr: containsNetwork(true, false),
};

function forNames(names: string, cost: CallCost): Readonly<Record<string, CallCost>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, cost]));
}

/** By function, for those of Kubernetes' libraries. */
const byFunction: Readonly<Record<string, CallCost>> = {
  check: 350_000,
  ...forNames('serviceAccount path group resource subresource namespace name allowed reason error errored', 1),
  ...forNames('fieldSelector labelSelector', selector),
  ...forNames('isSorted sum max min indexOf lastIndexOf includes', traverse),
  ...forNames('url lowerAscii upperAscii substring trim jsonpatch.escapeKey', scanFirst),
  ...forNames('replace split ip.isCanonical', scanTwice),
  join: { by: 'result', cost: (result) => scan(sizeOf(result), 2 * perUnit) },
  ...forNames('find findAll', pattern),
  ...forNames('cidr isIP isCIDR ip quantity isQuantity semver isSemver', scanFirst),
  sort: byArguments(selfCompare),
  '@sortByAssociatedKeys': byArguments((_, keys) => selfCompare(keys)),
  validate: byArguments((format, subject) => {
    const size = format instanceof Opaque && 'maxRegexSize' in format ? Number(format.maxRegexSize) : 1;
    return scan(1 + sizeOf(subject)) * scan(size, perPatternUnit);
  }),
};

/** By overload, for the standard functions. */
const standard: Readonly<Record<string, CallCost>> = {
  starts_with_string: scanSecond,
  ends_with_string: scanSecond,
  ...forNames('string_to_bytes bytes_to_string strings_quote string_format', scanFirst),
  in_list: byArguments((_, b) => sizeOf(b)),
  ...forNames('less_string greater_string less_equals_string greater_equals_string', smaller),
  ...forNames('less_bytes greater_bytes less_equals_bytes greater_equals_bytes', smaller),
  add_string: both,
  add_bytes: both,
  matches: pattern,
  matches_string: pattern,
  contains_string: byArguments((a, b) => scan(sizeOf(a)) * scan(sizeOf(b))),
};

/** @param overload the id, when the types leave only one */
export function callCost(name: string, overload: string | undefined): CallCost {
  const special = overload === undefined ? undefined : byOverload[overload];
  const own = Object.hasOwn(byFunction, name) ? byFunction[name] : undefined;
  return special ?? own ?? (overload === undefined ? undefined : standard[overload]) ?? 1;
}

/** Whether a value is one that `in` looks up in a set when the list is constant. */
export function isPlain(value: Value): boolean {
  if (value === null || value instanceof Uint8Array || value instanceof Duration) return false;
  return typeof value !== 'object' || ('value' in value && typeof value.value !== 'object');
}
