import { noSuchOverload } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelDouble, Duration, Optional, Timestamp, type Value } from '../values/value.ts';

/**
 * Readers of arguments. What the checker could not see, as behind `dyn`, is refused here.
 * Each throws {@link CelError} for another type.
 */

export function text(value: Value): string {
  if (typeof value !== 'string') throw noSuchOverload();
  return value;
}

export function boolean(value: Value): boolean {
  if (typeof value !== 'boolean') throw noSuchOverload();
  return value;
}

/** An `int`, as a number: integers beyond 2^53 come as the nearest double, which no size or index reaches. */
export function integer(value: Value): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  throw noSuchOverload();
}

export function bigint(value: Value): bigint {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(value);
  throw noSuchOverload();
}

export function double(value: Value): number {
  if (!(value instanceof CelDouble)) throw noSuchOverload();
  return value.value;
}

export function list(value: Value): CelList {
  if (!(value instanceof CelList)) throw noSuchOverload();
  return value;
}

export function map(value: Value): CelMap {
  if (!(value instanceof CelMap)) throw noSuchOverload();
  return value;
}

export function bytes(value: Value): Uint8Array {
  if (!(value instanceof Uint8Array)) throw noSuchOverload();
  return value;
}

export function optional(value: Value): Optional {
  if (!(value instanceof Optional)) throw noSuchOverload();
  return value;
}

export function timestamp(value: Value): Timestamp {
  if (!(value instanceof Timestamp)) throw noSuchOverload();
  return value;
}

export function duration(value: Value): Duration {
  if (!(value instanceof Duration)) throw noSuchOverload();
  return value;
}
