import { CelError, noSuchOverload } from './errors.ts';
import { CelList } from './list.ts';
import { maxSeconds, minSeconds, nanosOf, timestampFromNanos } from './time.ts';
import { CelDouble, CelUint, Duration, durationOf, intOf, Timestamp, uintOf, type Value } from './value.ts';

type Int = number | bigint;

function isInt(value: Value): value is Int {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** @throws {CelError} on overflow, or when the two cannot be added; so for the other operators */
export function add(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    return Number.isSafeInteger(sum) ? sum : intOf(BigInt(a) + BigInt(b));
  }
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  if (a instanceof CelList && b instanceof CelList) return a.concat(b);
  if (isInt(a) && isInt(b)) return intOf(BigInt(a) + BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value + b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintOf(a.value + b.value);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return joinBytes(a, b);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos + b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampFromNanos(nanosOf(a) + b.nanos, a.zone);
  if (a instanceof Duration && b instanceof Timestamp) return timestampFromNanos(nanosOf(b) + a.nanos, b.zone);
  throw noSuchOverload();
}

function joinBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length);
  joined.set(a);
  joined.set(b, a.length);
  return joined;
}

export function subtract(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b;
    return Number.isSafeInteger(difference) ? difference : intOf(BigInt(a) - BigInt(b));
  }
  if (isInt(a) && isInt(b)) return intOf(BigInt(a) - BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value - b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintOf(a.value - b.value);
  if (a instanceof Duration && b instanceof Duration) return durationOf(a.nanos - b.nanos);
  if (a instanceof Timestamp && b instanceof Duration) return timestampFromNanos(nanosOf(a) - b.nanos, a.zone);
  if (a instanceof Timestamp && b instanceof Timestamp) return durationOf(nanosOf(a) - nanosOf(b));
  throw noSuchOverload();
}

export function multiply(a: Value, b: Value): Value {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b;
    return Number.isSafeInteger(product) ? product + 0 : intOf(BigInt(a) * BigInt(b));
  }
  if (isInt(a) && isInt(b)) return intOf(BigInt(a) * BigInt(b));
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value * b.value);
  if (a instanceof CelUint && b instanceof CelUint) return uintOf(a.value * b.value);
  throw noSuchOverload();
}

export function divide(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) {
    if (b === 0) throw new CelError('division by zero');
    if (typeof a === 'number' && typeof b === 'number') return (a - (a % b)) / b + 0;
    return intOf(BigInt(a) / BigInt(b));
  }
  if (a instanceof CelDouble && b instanceof CelDouble) return new CelDouble(a.value / b.value);
  if (a instanceof CelUint && b instanceof CelUint) {
    if (b.value === 0n) throw new CelError('division by zero');
    return new CelUint(a.value / b.value);
  }
  throw noSuchOverload();
}

export function modulo(a: Value, b: Value): Value {
  if (isInt(a) && isInt(b)) {
    if (b === 0) throw new CelError('modulus by zero');
    if (typeof a === 'number' && typeof b === 'number') return (a % b) + 0;
    if (a === -(2n ** 63n) && b === -1) throw new CelError('integer overflow');
    return intOf(BigInt(a) % BigInt(b));
  }
  if (a instanceof CelUint && b instanceof CelUint) {
    if (b.value === 0n) throw new CelError('modulus by zero');
    return new CelUint(a.value % b.value);
  }
  throw noSuchOverload();
}

export function negate(a: Value): Value {
  if (typeof a === 'number') return 0 - a;
  if (typeof a === 'bigint') return intOf(-a);
  if (a instanceof CelDouble) return new CelDouble(-a.value);
  if (a instanceof Duration) return durationOf(-a.nanos);
  throw noSuchOverload();
}

/** A timestamp as whole seconds. @throws {CelError} outside the years 1 to 9999 */
export function timestampFromSeconds(seconds: Int): Timestamp {
  if (seconds < minSeconds || seconds > maxSeconds) throw new CelError('timestamp overflow');
  return new Timestamp(Number(seconds), 0);
}
