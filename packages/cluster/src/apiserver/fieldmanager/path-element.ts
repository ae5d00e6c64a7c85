import { parseJson, stringifyJson } from '@coxswain/runtime/client';
import { isTree, type Tree } from '../patch/index.ts';

/**
 * One step of a field path in the notation of `fieldsV1`: `f:name`, `k:{"name":"x"}` (keys sorted), `v:"x"` or `i:0`.
 * The canonical text is the identity, so sets and maps need no deep comparison.
 */
export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

export function valueElement(value: unknown): PathElement {
  return `v:${scalarText(value)}`;
}

/** @param key the values of the list's map keys that an item has */
export function keyElement(key: Tree): PathElement {
  const names = Object.keys(key).sort();
  return `k:{${names.map((name) => `${scalarText(name)}:${scalarText(key[name])}`).join(',')}}`;
}

/** The canonical form of an element read from outside, or `undefined` for a type that is not known. @throws Error when malformed */
export function parseElement(text: string): PathElement | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return valueElement(parseJson(text.slice(2)));
    case 'k': {
      const key: unknown = parseJson(text.slice(2));
      if (!isTree(key)) throw new Error(`not a key: ${text}`);
      return keyElement(key);
    }
    case 'i':
      if (!/^[+-]?\d+$/.test(text.slice(2))) throw new Error(`not an index: ${text}`);
      return `i:${Number(text.slice(2))}`;
    default:
      return undefined;
  }
}

/** As error messages show it: `.name`, `[name="x",port=80]`, `[="x"]`, `[0]`. */
export function elementText(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case 'f':
      return `.${rest}`;
    case 'v':
      return `[=${stringifyJson(parseJson(rest))}]`;
    case 'k': {
      const key = parseJson(rest) as Tree;
      return `[${Object.keys(key)
        .map((name) => `${name}=${stringifyJson(key[name])}`)
        .join(',')}]`;
    }
    default:
      return `[${rest}]`;
  }
}

const rank: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** The order in which the real server writes the elements of a set. */
export function compareElements(a: PathElement, b: PathElement): number {
  const kind = (rank[a[0] ?? ''] ?? 4) - (rank[b[0] ?? ''] ?? 4);
  if (kind !== 0) return kind;
  if (a[0] === 'f') return compareText(a, b);
  if (a[0] === 'k') return compareKeys(parseJson(a.slice(2)) as Tree, parseJson(b.slice(2)) as Tree);
  return compareScalars(parseJson(a.slice(2)), parseJson(b.slice(2)));
}

function compareKeys(a: Tree, b: Tree): number {
  const left = Object.keys(a).sort();
  const right = Object.keys(b).sort();
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const x = left[i] ?? '';
    const y = right[i] ?? '';
    const order = compareText(x, y) || compareScalars(a[x], b[y]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const scalarRank: Readonly<Record<string, number>> = { number: 0, bigint: 0, string: 1, boolean: 2 };

function compareScalars(a: unknown, b: unknown): number {
  const kind = (scalarRank[typeof a] ?? 3) - (scalarRank[typeof b] ?? 3);
  if (kind !== 0) return kind;
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b);
  return typeof a === 'bigint' || typeof b === 'bigint'
    ? compareWhole(a as number | bigint, b as number | bigint)
    : Number(a) - Number(b);
}

/** One of the two is beyond what a double holds. */
function compareWhole(a: number | bigint, b: number | bigint): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function compareText(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON as Go writes it: safe inside HTML. */
function scalarText(value: unknown): string {
  return stringifyJson(value ?? null).replace(/[<>&\u2028\u2029]/g, (char) => escapes[char] ?? char);
}
