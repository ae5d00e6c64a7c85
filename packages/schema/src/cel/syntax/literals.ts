import { CelDouble, CelUint, intOf, maxInt, maxUint, minInt, type Value } from '../values/value.ts';

const encoder = new TextEncoder();

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** A literal's value, or what is wrong with it. */
export type Literal = { readonly value: Value } | { readonly error: string };

export function readInt(text: string, negative: boolean): Literal {
  const size = BigInt(text);
  const value = negative ? -size : size;
  return value < minInt || value > maxInt ? { error: 'invalid int literal' } : { value: intOf(value) };
}

export function readUint(text: string): Literal {
  const value = BigInt(text.slice(0, -1));
  return value > maxUint ? { error: 'invalid uint literal' } : { value: new CelUint(value) };
}

export function readDouble(text: string, negative: boolean): Literal {
  const value = Number(text);
  if (!Number.isFinite(value)) return { error: 'invalid double literal' };
  return { value: new CelDouble(negative ? -value : value) };
}

export function readString(text: string): Literal {
  const { raw, body } = unwrap(text);
  if (raw) return { value: body };
  try {
    return { value: body.replace(/\\(?:[xX](..)|u(.{4})|U(.{8})|([0-3]..)|(.))/gsu, unescapeText) };
  } catch {
    return { error: 'invalid unicode code point' };
  }
}

function unescapeText(
  _: string,
  x: string | undefined,
  u: string | undefined,
  wide: string | undefined,
  octal: string | undefined,
  simple: string | undefined,
): string {
  if (simple !== undefined) return simpleEscapes[simple] ?? simple;
  const code = octal === undefined ? Number.parseInt(x ?? u ?? wide ?? '', 16) : Number.parseInt(octal, 8);
  if (code >= 0xd800 && code <= 0xdfff) throw new RangeError('half of a surrogate pair');
  return String.fromCodePoint(code);
}

/** In bytes, `\x` and octal escapes are single bytes and the others are UTF-8. */
export function readBytes(text: string): Literal {
  const { raw, body } = unwrap(text.slice(1));
  if (raw) return { value: encoder.encode(body) };
  if (/(?:^|[^\\])(?:\\\\)*\\[uU]/.test(body)) return { error: 'unable to unescape string' };
  const bytes: number[] = [];
  for (const [part, escaped] of body.matchAll(/\\([xX]..|[0-3][0-7][0-7]|.)|[^\\]+/gsu)) {
    if (escaped === undefined) bytes.push(...encoder.encode(part));
    else if (/^[xX]/.test(escaped)) bytes.push(Number.parseInt(escaped.slice(1), 16));
    else if (/^\d/.test(escaped)) bytes.push(Number.parseInt(escaped, 8));
    else bytes.push(...encoder.encode(simpleEscapes[escaped] ?? escaped));
  }
  return { value: Uint8Array.from(bytes) };
}

function unwrap(text: string): { raw: boolean; body: string } {
  const raw = /^[rR]/.test(text);
  const rest = raw ? text.slice(1) : text;
  const width = rest.length >= 6 && (rest.startsWith('"""') || rest.startsWith("'''")) ? 3 : 1;
  return { raw, body: rest.slice(width, -width).replace(/\r\n?/g, '\n') };
}
