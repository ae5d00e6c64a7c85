import { CelError, noSuchOverload } from './errors.ts';
import { CelList } from './list.ts';
import { CelMap } from './map.ts';
import { CelDouble, CelUint, Duration, Opaque, Optional, Timestamp, TypeValue, type Value } from './value.ts';

/** Equality of any two values: false for different types, except that numbers compare across types. */
export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  switch (typeof a) {
    case 'string':
    case 'boolean':
      return false;
    case 'number':
    case 'bigint':
      return typeof b === 'object' && isNumeric(b) && compareNumbers(a, b) === 0;
    default:
      return a !== null && typeof b !== 'string' && typeof b !== 'boolean' && b !== null && equalObjects(a, b);
  }
}

type Complex = Exclude<Value, null | boolean | string | number | bigint>;

function equalObjects(a: Complex, b: Exclude<Value, null | boolean | string>): boolean {
  if (a instanceof CelDouble || a instanceof CelUint) return isNumeric(b) && compareNumbers(a, b) === 0;
  if (typeof b === 'number' || typeof b === 'bigint') return false;
  if (a instanceof CelList) return b instanceof CelList && a.compare(b, equal);
  if (a instanceof CelMap) return b instanceof CelMap && a.compare(b, equal);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(a, b);
  return a instanceof Opaque && b instanceof Opaque && a.typeName === b.typeName && a.equals(b);
}

function equalOptionals(a: Optional, b: Optional): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equal(a.value, b.value);
}

type Numeric = number | bigint | CelDouble | CelUint;

export function isNumeric(value: Value): value is Numeric {
  return (
    typeof value === 'number' || typeof value === 'bigint' || value instanceof CelDouble || value instanceof CelUint
  );
}

/** Below, equal or above 0; NaN when one of them is no number. */
function compareNumbers(a: Numeric, b: Numeric): number {
  if (a instanceof CelDouble || b instanceof CelDouble) {
    const x = toDouble(a);
    const y = toDouble(b);
    if (x === y) return 0;
    if (x < y) return -1;
    return x > y ? 1 : Number.NaN;
  }
  const x = a instanceof CelUint ? a.value : a;
  const y = b instanceof CelUint ? b.value : b;
  if (x < y) return -1;
  return x > y ? 1 : 0;
}

function toDouble(value: Numeric): number {
  if (value instanceof CelDouble) return value.value;
  return Number(value instanceof CelUint ? value.value : value);
}

/**
 * Order of two values of one type, or of numbers.
 * @throws {CelError} when they have no order
 */
export function compare(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  if (isNumeric(a) && isNumeric(b)) {
    const order = compareNumbers(a, b);
    if (Number.isNaN(order)) throw new CelError('NaN values cannot be ordered');
    return order;
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Timestamp && b instanceof Timestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  if (a instanceof Duration && b instanceof Duration) return a.nanos < b.nanos ? -1 : Number(a.nanos > b.nanos);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b);
  throw noSuchOverload();
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const order = (a[index] ?? 0) - (b[index] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Order of code points, which UTF-16 breaks for those outside the basic plane. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const x = a.charCodeAt(index);
    const y = b.charCodeAt(index);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates after everything else. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit >= 0xe000 ? unit - 0x800 : unit + 0x2000;
}
