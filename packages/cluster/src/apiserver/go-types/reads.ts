import { JsonNumber } from '../request/json-number.ts';
import { decodeFault } from './decode-fault.ts';
import { type GoType, goTypeOf } from './table.ts';

/**
 * Why Go's decoder would not read a value into a definition's type; `undefined`, nearly always, when it would. Unknown fields are no
 * reason.
 */
export function faultOf(definition: string, value: unknown): string | undefined {
  return reads(goTypeOf(definition), value) ? undefined : decodeFault(definition, value);
}

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Most quantities and times; the others are looked at more closely. */
const plainQuantity = /^\d{1,18}(?:[mkMGTPE]|[KMGTPE]i)?$/;
const plainTime = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** The common case: everything fits, and nothing is written down on the way. What is not sure is no. */
function reads(type: GoType, value: unknown): boolean {
  if (value === null || value === undefined) return true;
  switch (type.kind) {
    case 'scalar':
      return readsScalar(type.scalar, value);
    case 'bytes':
      return typeof value === 'string' && value.length % 4 === 0 && base64.test(value);
    case 'special':
      return readsSpecial(type.name, value);
    case 'list':
      if (!Array.isArray(value)) return false;
      for (let i = 0; i < value.length; i++) if (!reads(type.items, value[i])) return false;
      return true;
    case 'map':
    case 'struct':
      return isFields(value) && readsFields(type, value);
  }
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof JsonNumber);
}

function readsFields(type: Extract<GoType, { kind: 'map' | 'struct' }>, value: Fields): boolean {
  if (type.kind === 'map') {
    for (const key in value) if (!reads(type.values, value[key])) return false;
    return true;
  }
  const known = type.fields;
  for (const key in value) {
    const field = known.get(key);
    if (field && !reads(field.type, value[key])) return false;
  }
  return true;
}

function readsScalar(scalar: string, value: unknown): boolean {
  switch (scalar) {
    case 'string':
      return typeof value === 'string';
    case 'bool':
      return typeof value === 'boolean';
    case 'int32':
      return typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31;
    default:
      return Number.isSafeInteger(value) || (scalar === 'float64' && typeof value === 'number');
  }
}

function readsSpecial(name: string, value: unknown): boolean {
  switch (name) {
    case 'intstr.IntOrString':
      return typeof value === 'string' || readsScalar('int32', value);
    case 'resource.Quantity':
      return typeof value === 'string' ? plainQuantity.test(value) : Number.isSafeInteger(value);
    case 'v1.Time':
      return typeof value === 'string' && plainTime.test(value);
    case 'v1.MicroTime':
    case 'v1.Duration':
      return false;
    default:
      return true;
  }
}

/**
 * A value with its numbers as a type has them: a quantity keeps the digits it was given in, all others are numbers. The answer takes
 * the place of what was read literally.
 */
export function settled(definition: string | undefined, value: unknown): unknown {
  return settle(definition === undefined ? undefined : goTypeOf(definition), value);
}

function settle(type: GoType | undefined, value: unknown): unknown {
  if (value instanceof JsonNumber) return type?.name === 'resource.Quantity' ? value.literal : value.value;
  if (Array.isArray(value)) {
    const items = type?.kind === 'list' ? type.items : undefined;
    return value.map((item) => settle(items, item));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const item = fields[key];
    if (typeof item === 'object' && item !== null) fields[key] = settle(memberOf(type, key), item);
  }
  return fields;
}

function memberOf(type: GoType | undefined, key: string): GoType | undefined {
  if (type?.kind === 'map') return type.values;
  return type?.kind === 'struct' ? type.fields.get(key)?.type : undefined;
}
