import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { CelDouble, intOf, Opaque, type Value } from '../values/value.ts';
import { bigint, text } from './arguments.ts';

/** An amount in billionths, which is the finest that Kubernetes keeps. */
class Quantity extends Opaque {
  readonly typeName = 'kubernetes.Quantity';
  readonly nanos: bigint;
  /** As a double, worked out from what was written. */
  readonly approximate: number;
  /** Whether it was written without parts of one, and not too long: `1.0` does not count as a whole number. */
  readonly whole: boolean;

  constructor(nanos: bigint, whole: boolean, approximate = Number(nanos) / 1e9) {
    super();
    this.nanos = nanos;
    this.whole = whole;
    this.approximate = approximate;
  }

  equals(other: Opaque): boolean {
    return other instanceof Quantity && other.nanos === this.nanos;
  }
}

const unit = 1_000_000_000n;
const decimalPowers: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};
const binaryPowers: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

const shape = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/;
const complaint = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/**
 * Reads an amount, as Kubernetes does: no digits are none, and parts below a billionth are rounded away from zero.
 * The text is what is wrong with it.
 */
function parseQuantity(source: string): Quantity | string {
  const match = source === '' ? undefined : shape.exec(source);
  if (!match) return complaint;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const power = Object.hasOwn(binaryPowers, suffix) ? binaryPowers[suffix] : undefined;
  const exponent = power === undefined ? decimalExponent(suffix) : 0;
  if (exponent === undefined || Math.abs(exponent) > 1_000) return "unable to parse quantity's suffix";
  const digits = BigInt(whole + fraction || '0') * (sign === '-' ? -1n : 1n);
  const scale = exponent - fraction.length;
  const scaled = digits << (power ?? 0n);
  const nanos = scale >= -9 ? scaled * 10n ** BigInt(scale + 9) : divideUp(scaled, 10n ** BigInt(-scale - 9));
  if (whole + fraction === '' && scale < -9) return 'unable to parse numeric part of quantity';
  const isWhole = scale >= 0 && (whole + fraction).replace(/^0+/, '').length <= 18;
  return new Quantity(nanos, isWhole, power === undefined ? Number(digits) * Number(`1e${scale}`) : undefined);
}

function decimalExponent(suffix: string): number | undefined {
  if (/^[eE][+-]?\d+$/.test(suffix)) return Number(suffix.slice(1));
  return Object.hasOwn(decimalPowers, suffix) ? decimalPowers[suffix] : undefined;
}

/** Away from zero. */
function divideUp(value: bigint, by: bigint): bigint {
  return value < 0n ? (value - by + 1n) / by : (value + by - 1n) / by;
}

function toQuantity(value: Value): Quantity {
  const parsed = parseQuantity(text(value));
  if (typeof parsed === 'string') throw new CelError(parsed);
  return parsed;
}

function nanosOf(value: Value): bigint {
  if (!(value instanceof Quantity)) throw noSuchOverload();
  return value.nanos;
}

function isInteger(value: Value): boolean {
  if (!(value instanceof Quantity)) throw noSuchOverload();
  const number = value.nanos / unit;
  return value.whole && number >= -(2n ** 63n) && number < 2n ** 63n;
}

/** The sum of two amounts; it is whole when both are. */
function sum(a: Value, b: Value, sign: 1n | -1n): Quantity {
  if (!(a instanceof Quantity) || !(b instanceof Quantity)) throw noSuchOverload();
  return new Quantity(a.nanos + sign * b.nanos, a.whole && b.whole);
}

function ofInteger(value: Value): Quantity {
  return new Quantity(bigint(value) * unit, true);
}

function asInteger(value: Value): Value {
  const nanos = nanosOf(value);
  if (!isInteger(value)) throw new CelError('cannot convert value to integer');
  return intOf(nanos / unit);
}

function order(a: Value, b: Value): number {
  const [x, y] = [nanosOf(a), nanosOf(b)];
  return x < y ? -1 : Number(x > y);
}

const sign = (nanos: bigint) => (nanos < 0n ? -1 : Number(nanos > 0n));

export const quantityLibrary: Library = {
  types: [parseType('kubernetes.Quantity')],
  overloads: [
    overload('string_to_quantity', 'quantity(string) -> kubernetes.Quantity', toQuantity),
    overload(
      'is_quantity_string',
      'isQuantity(string) -> bool',
      (value) => typeof parseQuantity(text(value)) !== 'string',
    ),
    overload('quantity_sign', 'sign(kubernetes.Quantity) -> int', (value) => sign(nanosOf(value))),
    overload(
      'quantity_is_greater_than',
      'kubernetes.Quantity::isGreaterThan(kubernetes.Quantity) -> bool',
      (a, b) => order(a, b) > 0,
    ),
    overload(
      'quantity_is_less_than',
      'kubernetes.Quantity::isLessThan(kubernetes.Quantity) -> bool',
      (a, b) => order(a, b) < 0,
    ),
    overload('quantity_compare_to', 'kubernetes.Quantity::compareTo(kubernetes.Quantity) -> int', order),
    overload('quantity_get_float', 'kubernetes.Quantity::asApproximateFloat() -> double', (value) => {
      if (!(value instanceof Quantity)) throw noSuchOverload();
      return new CelDouble(value.approximate);
    }),
    overload('quantity_get_int', 'kubernetes.Quantity::asInteger() -> int', asInteger),
    overload('quantity_is_integer', 'kubernetes.Quantity::isInteger() -> bool', (value) => isInteger(value)),
    overload('quantity_add', 'kubernetes.Quantity::add(kubernetes.Quantity) -> kubernetes.Quantity', (a, b) =>
      sum(a, b, 1n),
    ),
    overload('quantity_add_int', 'kubernetes.Quantity::add(int) -> kubernetes.Quantity', (a, b) =>
      sum(a, ofInteger(b), 1n),
    ),
    overload('quantity_sub', 'kubernetes.Quantity::sub(kubernetes.Quantity) -> kubernetes.Quantity', (a, b) =>
      sum(a, b, -1n),
    ),
    overload('quantity_sub_int', 'kubernetes.Quantity::sub(int) -> kubernetes.Quantity', (a, b) =>
      sum(a, ofInteger(b), -1n),
    ),
  ],
};
