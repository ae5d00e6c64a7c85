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

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
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

const shape = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|[KMGTPE]i|[eE][+-]?\d+)?$/;
const complaint = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/** Reads an amount; parts below a billionth are rounded away from zero. Undefined when it is none. */
function parseQuantity(source: string): bigint | undefined {
  const match = shape.exec(source);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(whole + fraction || '0');
  const power = binaryPowers[suffix];
  const exponent = power === undefined ? decimalExponent(suffix) : 0;
  if (exponent === undefined || Math.abs(exponent) > 1_000) return undefined;
  const scale = 9 + exponent - fraction.length;
  const scaled = digits << (power ?? 0n);
  const nanos = scale >= 0 ? scaled * 10n ** BigInt(scale) : divideUp(scaled, 10n ** BigInt(-scale));
  return sign === '-' ? -nanos : nanos;
}

function decimalExponent(suffix: string): number | undefined {
  if (/^[eE][+-]?\d/.test(suffix)) return Number(suffix.slice(1));
  return decimalPowers[suffix];
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function toQuantity(value: Value): Quantity {
  const nanos = parseQuantity(text(value));
  if (nanos === undefined) throw new CelError(complaint);
  return new Quantity(nanos);
}

function nanosOf(value: Value): bigint {
  if (!(value instanceof Quantity)) throw noSuchOverload();
  return value.nanos;
}

function isInteger(nanos: bigint): boolean {
  const whole = nanos / unit;
  return nanos % unit === 0n && whole >= -(2n ** 63n) && whole < 2n ** 63n;
}

function asInteger(value: Value): Value {
  const nanos = nanosOf(value);
  if (!isInteger(nanos)) throw new CelError('cannot convert value to integer');
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
    overload('is_quantity_string', 'isQuantity(string) -> bool', (value) => parseQuantity(text(value)) !== undefined),
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
      return new CelDouble(Number(nanosOf(value)) / 1e9);
    }),
    overload('quantity_get_int', 'kubernetes.Quantity::asInteger() -> int', asInteger),
    overload('quantity_is_integer', 'kubernetes.Quantity::isInteger() -> bool', (value) => isInteger(nanosOf(value))),
    overload(
      'quantity_add',
      'kubernetes.Quantity::add(kubernetes.Quantity) -> kubernetes.Quantity',
      (a, b) => new Quantity(nanosOf(a) + nanosOf(b)),
    ),
    overload(
      'quantity_add_int',
      'kubernetes.Quantity::add(int) -> kubernetes.Quantity',
      (a, b) => new Quantity(nanosOf(a) + bigint(b) * unit),
    ),
    overload(
      'quantity_sub',
      'kubernetes.Quantity::sub(kubernetes.Quantity) -> kubernetes.Quantity',
      (a, b) => new Quantity(nanosOf(a) - nanosOf(b)),
    ),
    overload(
      'quantity_sub_int',
      'kubernetes.Quantity::sub(int) -> kubernetes.Quantity',
      (a, b) => new Quantity(nanosOf(a) - bigint(b) * unit),
    ),
  ],
};
