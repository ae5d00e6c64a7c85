import { operators } from '../syntax/ast.ts';
import { optionalMacros } from '../syntax/macros.ts';
import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { ArrayList, CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelDouble, CelUint, Duration, Optional, Timestamp, type Value } from '../values/value.ts';
import { list, optional } from './arguments.ts';

/** The evaluator works these out itself. */
const built = (): never => {
  throw noSuchOverload();
};

function isZero(value: Value): boolean {
  if (value === null || value === false || value === 0 || value === '') return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelDouble) return value.value === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof Duration) return value.nanos === 0n;
  if (value instanceof Timestamp) return value.seconds === 0 && value.nanos === 0;
  return value instanceof Optional && value.value === undefined;
}

function unwrap(items: Value): Value {
  const kept: Value[] = [];
  for (const item of list(items)) {
    if (!(item instanceof Optional)) throw new CelError('value is not optional');
    if (item.value !== undefined) kept.push(item.value);
  }
  return new ArrayList(kept);
}

function end(items: Value, index: (size: number) => number): Optional {
  const all = list(items);
  return all.size === 0 ? Optional.none : new Optional(all.at(index(all.size)));
}

/** Optional values, version 2. */
export const optionalLibrary: Library = {
  macros: optionalMacros,
  overloads: [
    overload('optional_of', 'optional.of(V) -> optional(V)', (value) => new Optional(value)),
    overload('optional_ofNonZeroValue', 'optional.ofNonZeroValue(V) -> optional(V)', (value) =>
      isZero(value) ? Optional.none : new Optional(value),
    ),
    overload('optional_none', 'optional.none() -> optional(V)', () => Optional.none),
    overload('optional_value', 'optional(V)::value() -> V', (value) => optional(value).get()),
    overload('optional_hasValue', 'optional(V)::hasValue() -> bool', (value) => optional(value).value !== undefined),
    overload('optional_or_optional', 'optional(V)::or(optional(V)) -> optional(V)', built),
    overload('optional_orValue_value', 'optional(V)::orValue(V) -> V', built),
    overload('select_optional_field', `${operators.optSelect}(dyn, string) -> optional(V)`, built),
    overload('list_optindex_optional_int', `${operators.optIndex}(list(V), int) -> optional(V)`, built),
    overload(
      'optional_list_optindex_optional_int',
      `${operators.optIndex}(optional(list(V)), int) -> optional(V)`,
      built,
    ),
    overload('map_optindex_optional_value', `${operators.optIndex}(map(K, V), K) -> optional(V)`, built),
    overload(
      'optional_map_optindex_optional_value',
      `${operators.optIndex}(optional(map(K, V)), K) -> optional(V)`,
      built,
    ),
    overload('optional_list_index_int', `${operators.index}(optional(list(V)), int) -> optional(V)`, built),
    overload('optional_map_index_value', `${operators.index}(optional(map(K, V)), K) -> optional(V)`, built),
    overload('list_first', 'list(V)::first() -> optional(V)', (items) => end(items, () => 0)),
    overload('list_last', 'list(V)::last() -> optional(V)', (items) => end(items, (size) => size - 1)),
    overload('optional_unwrap', 'optional.unwrap(list(optional(V))) -> list(V)', unwrap),
    overload('optional_unwrapOpt', 'list(optional(V))::unwrapOpt() -> list(V)', unwrap),
  ],
};
