import { type Overload, overload } from '../types/overload.ts';
import { timestampFromSeconds } from '../values/arithmetic.ts';
import { formatDouble, typeNameOf } from '../values/describe.ts';
import { CelError } from '../values/errors.ts';
import {
  formatDuration,
  formatTimestamp,
  maxSeconds,
  minSeconds,
  parseDuration,
  parseTimestamp,
} from '../values/time.ts';
import {
  CelDouble,
  CelUint,
  type Duration,
  intOf,
  type Timestamp,
  TypeValue,
  uintOf,
  type Value,
} from '../values/value.ts';
import { bigint, bytes, double, duration, text, timestamp } from './arguments.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

function failed(from: string, to: string): CelError {
  return new CelError(`type conversion error from '${from}' to '${to}'`);
}

const same = (value: Value): Value => value;

function toBool(value: Value): Value {
  const word = text(value);
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(word)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(word)) return false;
  throw failed('string', 'bool');
}

function intFromDouble(value: Value): Value {
  const number = double(value);
  if (Number.isFinite(number) && Math.abs(number) < 2 ** 63) {
    return intOf(BigInt(Math.trunc(number)));
  }
  throw new CelError('integer overflow');
}

function uintFromDouble(value: Value): Value {
  const number = double(value);
  if (Number.isFinite(number) && number >= 0 && number < 2 ** 64) {
    return new CelUint(BigInt(Math.trunc(number)));
  }
  throw new CelError('unsigned integer overflow');
}

function intFromText(value: Value): Value {
  const digits = text(value);
  const number = /^[+-]?\d+$/.test(digits) ? BigInt(digits.replace(/^\+/, '')) : undefined;
  if (number === undefined || number < -(2n ** 63n) || number >= 2n ** 63n) throw failed('string', 'int');
  return intOf(number);
}

function uintFromText(value: Value): Value {
  const digits = text(value);
  const number = /^\d+$/.test(digits) ? BigInt(digits) : undefined;
  if (number === undefined || number >= 2n ** 64n) throw failed('string', 'uint');
  return new CelUint(number);
}

const decimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const infinite = /^([+-]?)inf(?:inity)?$/i;

/** As Go reads a double; undefined when it is none. */
export function parseDouble(digits: string): number | undefined {
  const infinity = infinite.exec(digits);
  if (infinity) return infinity[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(digits)) return Number.NaN;
  if (!decimal.test(digits)) return undefined;
  const number = Number(digits);
  return Number.isFinite(number) ? number : undefined;
}

function doubleFromText(value: Value): Value {
  const number = parseDouble(text(value));
  if (number === undefined) throw failed('string', 'double');
  return new CelDouble(number);
}

function uint(value: Value): bigint {
  if (value instanceof CelUint) return value.value;
  throw new CelError('no such overload');
}

function textFromBytes(value: Value): Value {
  try {
    return decoder.decode(bytes(value));
  } catch {
    throw new CelError('invalid UTF-8 in bytes, cannot convert to string');
  }
}

function durationFromText(value: Value): Duration {
  const parsed = parseDuration(text(value));
  if (!parsed) throw failed('string', 'google.protobuf.Duration');
  return parsed;
}

function timestampFromText(value: Value): Timestamp {
  const parsed = parseTimestamp(text(value));
  if (!parsed) throw failed('string', 'google.protobuf.Timestamp');
  if (parsed.seconds < minSeconds || parsed.seconds > maxSeconds) throw new CelError('timestamp overflow');
  return parsed;
}

/** The functions named like types. */
export const conversionOverloads: readonly Overload[] = [
  overload('type', 'type(A) -> type(A)', (value) => new TypeValue(typeNameOf(value))),
  overload('bool_to_bool', 'bool(bool) -> bool', same),
  overload('string_to_bool', 'bool(string) -> bool', toBool),
  overload('bytes_to_bytes', 'bytes(bytes) -> bytes', same),
  overload('string_to_bytes', 'bytes(string) -> bytes', (value) => encoder.encode(text(value))),
  overload('double_to_double', 'double(double) -> double', same),
  overload('int64_to_double', 'double(int) -> double', (value) => new CelDouble(Number(bigint(value)))),
  overload('string_to_double', 'double(string) -> double', doubleFromText),
  overload('uint64_to_double', 'double(uint) -> double', (value) => new CelDouble(Number(uint(value)))),
  overload('duration_to_duration', 'duration(duration) -> duration', same),
  overload('string_to_duration', 'duration(string) -> duration', durationFromText),
  overload('to_dyn', 'dyn(A) -> dyn', same),
  overload('int64_to_int64', 'int(int) -> int', same),
  overload('double_to_int64', 'int(double) -> int', intFromDouble),
  overload('duration_to_int64', 'int(duration) -> int', (value) => intOf(duration(value).nanos)),
  overload('string_to_int64', 'int(string) -> int', intFromText),
  overload('timestamp_to_int64', 'int(timestamp) -> int', (value) => timestamp(value).seconds),
  overload('uint64_to_int64', 'int(uint) -> int', (value) => intOf(uint(value))),
  overload('string_to_string', 'string(string) -> string', same),
  overload('bool_to_string', 'string(bool) -> string', (value) => String(value)),
  overload('bytes_to_string', 'string(bytes) -> string', textFromBytes),
  overload('double_to_string', 'string(double) -> string', (value) => formatDouble(double(value))),
  overload('duration_to_string', 'string(duration) -> string', (value) => formatDuration(duration(value))),
  overload('int64_to_string', 'string(int) -> string', (value) => String(bigint(value))),
  overload('timestamp_to_string', 'string(timestamp) -> string', (value) => formatTimestamp(timestamp(value))),
  overload('uint64_to_string', 'string(uint) -> string', (value) => String(uint(value))),
  overload('timestamp_to_timestamp', 'timestamp(timestamp) -> timestamp', same),
  overload('int64_to_timestamp', 'timestamp(int) -> timestamp', (value) => timestampFromSeconds(bigint(value))),
  overload('string_to_timestamp', 'timestamp(string) -> timestamp', timestampFromText),
  overload('uint64_to_uint64', 'uint(uint) -> uint', same),
  overload('double_to_uint64', 'uint(double) -> uint', uintFromDouble),
  overload('int64_to_uint64', 'uint(int) -> uint', (value) => uintOf(bigint(value))),
  overload('string_to_uint64', 'uint(string) -> uint', uintFromText),
];

/** Names of the functions that are worked out once when their argument is a constant. */
export const conversionNames: ReadonlySet<string> = new Set(conversionOverloads.map(({ name }) => name));
