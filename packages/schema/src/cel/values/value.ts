import { CelError } from './errors.ts';
import type { CelList } from './list.ts';
import type { CelMap } from './map.ts';

export const minInt = -(2n ** 63n);
export const maxInt = 2n ** 63n - 1n;
export const maxUint = 2n ** 64n - 1n;

/** A double. Plain numbers are integers, so that the common case costs nothing. */
export class CelDouble {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** An unsigned integer, 0 to 2^64 - 1. */
export class CelUint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A type as a value: what `type(x)` answers. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class Optional {
  static readonly none = new Optional(undefined);
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }

  /** The value inside. @throws {CelError} when there is none */
  get(): Value {
    if (this.value === undefined) throw new CelError('optional.none() dereference');
    return this.value;
  }
}

/** Seconds since 1970 and nanoseconds, 0 to 999,999,999; years 1 to 9999. */
export class Timestamp {
  readonly seconds: number;
  readonly nanos: number;
  /** Seconds east of UTC in which it was written, and is printed. */
  readonly zone: number;

  constructor(seconds: number, nanos: number, zone = 0) {
    this.seconds = seconds;
    this.nanos = nanos;
    this.zone = zone;
  }
}

/** A span of time in nanoseconds, within 64 bits. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value of a library's own type: a quantity, an address, an authorizer. */
export abstract class Opaque {
  abstract readonly typeName: string;

  abstract equals(other: Opaque): boolean;

  /** What counts as its size when cost is charged; 1 for most. */
  get size(): number {
    return 1;
  }

  /** How `string()` and messages show it. */
  toString(): string {
    return this.typeName;
  }
}

/** A piece of JSON that no type describes; it can only be compared. */
export class RawJson extends Opaque {
  readonly typeName = 'unknown';
  readonly json: unknown;
  readonly #same: (a: unknown, b: unknown) => boolean;

  constructor(json: unknown, same: (a: unknown, b: unknown) => boolean) {
    super();
    this.json = json;
    this.#same = same;
  }

  equals(other: Opaque): boolean {
    return other instanceof RawJson && this.#same(this.json, other.json);
  }
}

/**
 * A CEL value. `number` is an `int` that a double holds exactly, `bigint` any other `int`: never a small one, so that
 * equal integers are identical.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | CelDouble
  | CelUint
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | CelList
  | CelMap
  | Opaque;

/** An `int` in its one form. @throws {CelError} when it does not fit 64 bits */
export function intOf(value: bigint): number | bigint {
  if (value >= -9007199254740991n && value <= 9007199254740991n) return Number(value);
  if (value < minInt || value > maxInt) throw new CelError('integer overflow');
  return value;
}

/** @throws {CelError} when it does not fit 64 bits */
export function uintOf(value: bigint): CelUint {
  if (value < 0n || value > maxUint) throw new CelError('unsigned integer overflow');
  return new CelUint(value);
}

/** @throws {CelError} when it does not fit 64 bits */
export function durationOf(nanos: bigint): Duration {
  if (nanos < minInt || nanos > maxInt) throw new CelError('duration overflow');
  return new Duration(nanos);
}
