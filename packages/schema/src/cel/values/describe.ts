import { type CelType, types } from '../types/type.ts';
import { CelList } from './list.ts';
import { CelMap } from './map.ts';
import { formatDuration, formatTimestamp } from './time.ts';
import { CelDouble, CelUint, Duration, Opaque, Optional, Timestamp, TypeValue, type Value } from './value.ts';

/** The name of a value's type at run time. */
export function typeNameOf(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'number':
    case 'bigint':
      return 'int';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : objectTypeName(value);
  }
}

function objectTypeName(value: object): string {
  if (value instanceof CelDouble) return 'double';
  if (value instanceof CelUint) return 'uint';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return types.timestamp.name;
  if (value instanceof Duration) return types.duration.name;
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof Opaque ? value.typeName : 'unknown';
}

/** Whether a value may be an argument of a declared type; only the outermost type is looked at. */
export function hasType(value: Value, type: CelType): boolean {
  switch (type.kind) {
    case 'dyn':
    case 'param':
      return true;
    case 'struct':
      return value instanceof CelMap || typeNameOf(value) === type.name;
    default:
      return typeNameOf(value) === type.name;
  }
}

/** A double as Go prints it with `%v` or as CEL converts it to text: the shortest form that reads back the same. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const size = Math.abs(value);
  if (size >= 1e-4 && size < 1e6) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A value as error messages show it. */
export function formatValue(value: Value): string {
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : formatObject(value);
    default:
      return String(value);
  }
}

function formatObject(value: Exclude<Value, null | boolean | number | bigint | string>): string {
  if (value instanceof CelDouble) return formatDouble(value.value);
  if (value instanceof CelUint) return String(value.value);
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof CelList) return `[${[...value].map(formatValue).join(', ')}]`;
  if (value instanceof CelMap) {
    const entries = [...value.keys()].map((key) => `${formatValue(key)}: ${formatValue(value.find(key) ?? null)}`);
    return `{${entries.join(', ')}}`;
  }
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof Optional) {
    return value.value === undefined ? 'optional.none()' : `optional(${formatValue(value.value)})`;
  }
  return value.toString();
}
