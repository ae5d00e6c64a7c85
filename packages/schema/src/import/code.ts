import type { Json } from '@coxswain/k8s';
import { isObject } from '../json.ts';

/** An expression of TypeScript, as far as definitions need them; `printCode` makes its text. */
export type Code =
  /** Text that has no line breaks and cannot be broken; `simple` as far as the layout of chains goes. */
  | { readonly is: 'atom'; readonly text: string; readonly simple: boolean; readonly isString?: boolean }
  /** `wide`: one property a line, also when there is room. */
  | { readonly is: 'object'; readonly entries: readonly Entry[]; readonly wide?: boolean }
  | { readonly is: 'array'; readonly items: readonly Code[] }
  /** `head.name<types>(args).name(args)`; a chain without calls is a name. */
  | { readonly is: 'chain'; readonly head: string; readonly calls: readonly Call[] }
  | { readonly is: 'call'; readonly callee: string; readonly args: readonly Code[] }
  /** `value as never`: the compiler is told not to compare its type. */
  | { readonly is: 'cast'; readonly value: Code };

export type Entry = readonly [string, Code];

export interface Call {
  readonly name: string;
  readonly types?: string;
  readonly args: readonly Code[];
}

export type Chain = Extract<Code, { is: 'chain' }>;

/** The names of things that the builder offers: `s.list(…)`. */
export function word(name: string, ...args: readonly Code[]): Chain {
  return { is: 'chain', head: 's', calls: [{ name, args }] };
}

/** An object with a line for each property. */
export function wide(entries: readonly Entry[]): Code {
  return { is: 'object', entries, wide: entries.length > 0 };
}

/** A value of JSON as an expression. */
export function literal(value: Json | undefined): Code {
  if (Array.isArray(value)) return { is: 'array', items: value.map((item: Json) => literal(item)) };
  if (isObject(value)) {
    const entries = Object.entries(value as Readonly<Record<string, Json>>);
    return { is: 'object', entries: entries.map(([key, child]) => [key, literal(child)] as const) };
  }
  if (typeof value === 'string') return { is: 'atom', text: quoted(value), simple: true, isString: true };
  // JSON has no word for -0, but YAML has, and the text of a number loses its sign
  return { is: 'atom', text: Object.is(value, -0) ? '-0' : String(value), simple: true };
}

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A string literal on one line. Whatever could end it, or be read otherwise than it is shown, is escaped. */
export function quoted(text: string): string {
  const single = text.split("'").length;
  const quote = single > text.split('"').length ? '"' : "'";
  const escaped = text.replace(/[\\'"]|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (char) => {
    if (char === '\\' || char === quote) return `\\${char}`;
    if (char === "'" || char === '"') return char;
    return short[char] ?? unicodeEscape(char);
  });
  return `${quote}${escaped}${quote}`;
}

function unicodeEscape(char: string): string {
  const units = Array.from({ length: char.length }, (_, i) => char.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
