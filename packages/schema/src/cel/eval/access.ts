import { formatValue, typeNameOf } from '../values/describe.ts';
import { CelError } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelDouble, CelUint, Optional, type Value } from '../values/value.ts';
import type { Frame } from './frame.ts';

/** `value.field`, `value[key]`; undefined when there is none, as in a value without parts. @throws {CelError} for an index of another type */
export function find(value: Value, key: Value): Value | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) return findIndex(value, key);
  return undefined;
}

/** @throws {CelError} also when there is no such part */
export function get(value: Value, key: Value): Value {
  const found = find(value, key);
  if (found !== undefined) return found;
  if (value instanceof CelList) throw new CelError(`index out of bounds: ${formatValue(key)}`);
  throw new CelError(`no such key: ${formatValue(key)}`);
}

function findIndex(value: CelList, key: Value): Value | undefined {
  const index = value.strict ? strictIndex(key) : indexOf(key);
  return index >= 0 && index < value.size ? value.at(index) : undefined;
}

function strictIndex(key: Value): number {
  if (typeof key === 'number') return key;
  if (typeof key === 'bigint') return -1;
  throw new CelError(`unsupported index: ${formatValue(key)}`);
}

function indexOf(key: Value): number {
  if (typeof key === 'number') return key;
  if (typeof key === 'bigint') return -1;
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    if (Number.isInteger(key.value)) return key.value;
    throw new CelError(`unsupported index value ${formatValue(key)} in list`);
  }
  throw new CelError(`unsupported index type '${typeNameOf(key)}' in list`);
}

/** As {@link get}, through optionals: a part of nothing is nothing. One unit is charged. */
export function getThrough(value: Value, key: Value, frame: Frame): Value {
  if (value instanceof Optional) return findOptional(value, key, frame);
  frame.charge(1);
  return get(value, key);
}

/** `value.?field`, `value[?key]`. One unit is charged if it is there. */
export function findOptional(value: Value, key: Value, frame: Frame): Optional {
  const target = value instanceof Optional ? value.value : value;
  if (target === undefined) return Optional.none;
  const found = find(target, key);
  if (found === undefined) return Optional.none;
  frame.charge(1);
  return new Optional(found);
}

/** `has(value.field)`. */
export function hasField(value: Value, key: string): boolean {
  const target = value instanceof Optional ? value.value : value;
  if (target === undefined) return false;
  return target instanceof CelMap && target.find(key) !== undefined;
}
