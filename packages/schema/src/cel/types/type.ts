/** The kinds of CEL types. `struct` is an object with known fields, `opaque` a library's own type. */
export type TypeKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'list'
  | 'map'
  | 'struct'
  | 'opaque'
  | 'param';

/** A type of CEL: its kind, its name, and the types it is made of. */
export interface CelType {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly CelType[];
}

function simple(kind: TypeKind, name: string = kind): CelType {
  return { kind, name, params: [] };
}

/** The types that are not made of others. */
export const types = {
  dyn: simple('dyn'),
  error: simple('error', '!error!'),
  null: simple('null', 'null_type'),
  bool: simple('bool'),
  int: simple('int'),
  uint: simple('uint'),
  double: simple('double'),
  string: simple('string'),
  bytes: simple('bytes'),
  timestamp: simple('timestamp', 'google.protobuf.Timestamp'),
  duration: simple('duration', 'google.protobuf.Duration'),
  type: simple('type'),
} as const;

/** The type of lists of `element`. */
export function listOf(element: CelType): CelType {
  return { kind: 'list', name: 'list', params: [element] };
}

/** The type of maps from `key` to `value`. */
export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', name: 'map', params: [key, value] };
}

export function optionalOf(value: CelType): CelType {
  return { kind: 'opaque', name: 'optional_type', params: [value] };
}

export function typeOf(param: CelType): CelType {
  return { kind: 'type', name: 'type', params: [param] };
}

/** The type of objects that the schema calls `name`. */
export function structType(name: string): CelType {
  return simple('struct', name);
}

export function opaqueType(name: string): CelType {
  return simple('opaque', name);
}

export function typeParam(name: string): CelType {
  return simple('param', name);
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

/** The type inside an optional, or the type itself. */
export function unwrapOptional(type: CelType): CelType {
  return isOptional(type) ? (type.params[0] ?? types.dyn) : type;
}

/** Whether the two are one type, down to what they are made of. */
export function sameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => sameType(param, b.params[index] ?? types.dyn));
}

/** How error messages name a type. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case 'null':
      return 'null';
    case 'timestamp':
      return 'timestamp';
    case 'duration':
      return 'duration';
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(', ')})`;
  }
}
