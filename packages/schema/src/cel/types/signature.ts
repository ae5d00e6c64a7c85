import { type CelType, listOf, mapOf, opaqueType, optionalOf, structType, typeOf, typeParam, types } from './type.ts';

export interface Signature {
  readonly name: string;
  /** Called on its first argument: `a.f(b)`. */
  readonly member: boolean;
  readonly args: readonly CelType[];
  readonly result: CelType;
}

const simple: Readonly<Record<string, CelType>> = {
  dyn: types.dyn,
  null: types.null,
  bool: types.bool,
  int: types.int,
  uint: types.uint,
  double: types.double,
  string: types.string,
  bytes: types.bytes,
  timestamp: types.timestamp,
  duration: types.duration,
  type: types.type,
};

/** Library types that are not objects with fields. */
const opaque: ReadonlySet<string> = new Set(['net.IP', 'net.CIDR']);

/**
 * Reads `f(int, list(A)) -> bool` or, for members, `string::f(int) -> int`. Single capitals are type variables;
 * `optional(T)` is an optional.
 */
export function parseSignature(text: string): Signature {
  const [head = '', result = ''] = text.split(' -> ');
  const split = head.indexOf('::');
  const receiver = split < 0 ? undefined : head.slice(0, split);
  const rest = split < 0 ? head : head.slice(split + 2);
  const at = rest.indexOf('(');
  const args = splitTypes(rest.slice(at + 1, -1)).map(parseType);
  return {
    name: rest.slice(0, at),
    member: receiver !== undefined,
    args: receiver === undefined ? args : [parseType(receiver), ...args],
    result: parseType(result),
  };
}

function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (text[index] !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return text.trim() === '' ? [] : [...parts, text.slice(start)];
}

/** Reads one type: `list(string)`, `map(K, V)`, `optional(V)`, `kubernetes.URL`. */
export function parseType(text: string): CelType {
  const name = text.trim();
  const known = simple[name];
  if (known) return known;
  const open = name.indexOf('(');
  if (open < 0) return namedType(name);
  const [first = types.dyn, second = types.dyn] = splitTypes(name.slice(open + 1, -1)).map(parseType);
  switch (name.slice(0, open)) {
    case 'list':
      return listOf(first);
    case 'map':
      return mapOf(first, second);
    case 'type':
      return typeOf(first);
    default:
      return optionalOf(first);
  }
}

function namedType(name: string): CelType {
  if (/^[A-Z]$/.test(name)) return typeParam(name);
  return opaque.has(name) ? opaqueType(name) : structType(name);
}
