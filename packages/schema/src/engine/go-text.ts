/**
 * Values as Go prints them, which is how the API server words its errors.
 */

import { kindOf } from './check.ts';

const simpleEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '"': '\\"',
  '\\': '\\\\',
};
const needsEscape = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/** `%q` of a string. */
export function quote(text: string): string {
  return `"${text.replace(needsEscape, escapeRune)}"`;
}

function escapeRune(rune: string): string {
  const simple = simpleEscapes[rune];
  if (simple) return simple;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${hex(code, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}

/** `%v` of a number: all digits of what Go holds as an int64. */
export function formatNumber(value: number | bigint): string {
  return kindOf(value) === 'integer' ? BigInt(value).toString() : formatDouble(Number(value));
}

/** `%v` of a double: the shortest digits, with an exponent from a million on and below 1e-4. */
export function formatDouble(value: number): string {
  const text = value.toExponential();
  const exponent = Number(text.slice(text.indexOf('e') + 1));
  if (value === 0 || (exponent >= -4 && exponent < 6)) return String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

const htmlEscapes = /[<>&\u2028\u2029]/g;

/** `json.Marshal`: sorted keys, no spaces, `<`, `>` and `&` escaped. */
export function marshalJson(value: unknown): string {
  return stringify(value).replace(htmlEscapes, (c) => `\\u${hex(c.charCodeAt(0), 4)}`);
}

function stringify(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, field]) => `${JSON.stringify(key)}:${stringify(field)}`);
  return `{${fields.join(',')}}`;
}

/** A refused value as it stands in `Invalid value: …`. */
export function formatBadValue(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number' || typeof value === 'bigint') return formatNumber(value);
  return typeof value === 'boolean' ? String(value) : marshalJson(value);
}
