import { decodeFault, faultOfType } from './decode-fault.ts';
import { type GoType, goTypeOf } from './table.ts';

/**
 * Why the converter from maps to Go types, which the real server uses after a strategic merge patch, would not take a value:
 * `cannot convert int64 to string`. It has other words than the decoder, and takes whole doubles for integers. `undefined` when it would.
 */
export function restoreFault(definition: string, value: unknown): string | undefined {
  return restore(goTypeOf(definition), value);
}

/** The kind of a value in Go, decoded without a type. */
function kindOf(value: unknown): 'slice' | 'map' | 'bool' | 'string' | 'int64' | 'float64' {
  if (Array.isArray(value)) return 'slice';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map';
}

function restore(type: GoType, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  const kind = kindOf(value);
  switch (type.kind) {
    case 'special':
      // such types read themselves
      return faultOfType(type, value);
    case 'scalar':
      return restoreScalar(type, kind, value);
    case 'bytes': {
      if (kind !== 'string') return kind === 'slice' ? undefined : `cannot restore slice from ${kind}`;
      const fault = decodeFault('[]byte', value);
      return fault && `error decoding from json: ${fault}`;
    }
    case 'list':
      if (!Array.isArray(value)) return `cannot restore slice from ${kind}`;
      return first(value, (item) => restore(type.items, item));
    case 'map':
      if (kind !== 'map') return `cannot restore map from ${kind}`;
      return first(Object.values(value), (item) => restore(type.values, item));
    case 'struct': {
      if (kind !== 'map') return `cannot restore struct from: ${kind}`;
      const fields = value as Readonly<Record<string, unknown>>;
      if (!Object.keys(fields).some((key) => isFaulty(type, key, fields[key]))) return undefined;
      // of several the first in the order of the struct is told
      return first([...type.fields.values()], (field) => restore(field.type, fields[field.json]));
    }
  }
}

function isFaulty(type: Extract<GoType, { kind: 'struct' }>, key: string, value: unknown): boolean {
  const field = type.fields.get(key);
  return field !== undefined && restore(field.type, value) !== undefined;
}

function restoreScalar(
  { scalar, name }: Extract<GoType, { kind: 'scalar' }>,
  kind: ReturnType<typeof kindOf>,
  value: unknown,
): string | undefined {
  const number = kind === 'int64' || kind === 'float64';
  const wantsNumber = scalar !== 'string' && scalar !== 'bool';
  if (scalar === kind || (number && wantsNumber && (scalar === 'float64' || Number.isInteger(Number(value))))) {
    return undefined;
  }
  // What Go could convert, but JSON does not.
  const convertible = (kind === 'int64' && scalar === 'string') || (number && wantsNumber);
  return convertible ? `cannot convert ${kind} to ${name}` : `unrecognized type: ${scalar}`;
}

function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
