/** Levels of objects and lists that Go's decoder takes. */
export const goMaxDepth = 10_000;

const literals: Readonly<Record<number, string>> = { 116: 'true', 102: 'false', 110: 'null' };
const whitespace: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];
const code = (char: string): number => char.charCodeAt(0);
const [quote, backslash, openObject, closeObject, openList, closeList, comma, colon, minus, plus, dot, zero] = [
  '"',
  '\\',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '-',
  '+',
  '.',
  '0',
].map(code) as [number, number, number, number, number, number, number, number, number, number, number, number];

const isDigit = (byte: number): boolean => byte >= zero && byte <= zero + 9;
const isExponent = (byte: number): boolean => byte === code('e') || byte === code('E');

/**
 * Why bytes are no JSON, in the words of Go's decoder: `invalid character '}' looking for beginning of value`. `undefined` when it
 * finds nothing wrong.
 */
export function goJsonFault(bytes: Uint8Array): string | undefined {
  try {
    new Scanner(bytes).run();
    return undefined;
  } catch (error) {
    if (error instanceof JsonFault) return error.message;
    throw error;
  }
}

class JsonFault extends Error {}

/** Reads a text from its start to the first byte that cannot stand there. */
class Scanner {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** The open objects and lists, by their closing byte. */
  readonly #open: number[] = [];

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  run(): void {
    this.#value();
    // Each turn stands behind a value.
    while (this.#open.length > 0) {
      const byte = this.#next();
      const close = this.#open.at(-1);
      if (byte === close) this.#open.pop();
      else if (byte !== comma)
        this.#refuse(byte, close === closeObject ? 'after object key:value pair' : 'after array element');
      else if (close === closeObject) this.#member();
      else this.#value();
    }
    while (whitespace.includes(this.#bytes[this.#at] ?? -1)) this.#at++;
    if (this.#at < this.#bytes.length) this.#refuse(this.#bytes[this.#at] as number, 'after top-level value');
  }

  /** A value, or the start of one as far as its first scalar. */
  #value(): void {
    for (;;) {
      const byte = this.#next();
      if (byte === openObject) {
        if (this.#enter(closeObject)) return;
        this.#key();
      } else if (byte === openList) {
        if (this.#enter(closeList)) return;
      } else {
        this.#scalar(byte);
        return;
      }
    }
  }

  /** Opens an object or a list; true when it is empty and closed again. */
  #enter(close: number): boolean {
    if (this.#open.length >= goMaxDepth) {
      this.#refuse(close === closeObject ? openObject : openList, 'exceeded max depth');
    }
    const byte = this.#next();
    if (byte === close) return true;
    this.#at--;
    this.#open.push(close);
    return false;
  }

  #member(): void {
    this.#key();
    this.#value();
  }

  #key(): void {
    const byte = this.#next();
    if (byte !== quote) this.#refuse(byte, 'looking for beginning of object key string');
    this.#string();
    const after = this.#next();
    if (after !== colon) this.#refuse(after, 'after object key');
  }

  #scalar(byte: number): void {
    const literal = literals[byte];
    if (byte === quote) this.#string();
    else if (byte === minus || isDigit(byte)) this.#number(byte);
    else if (literal) this.#literal(literal);
    else this.#refuse(byte, 'looking for beginning of value');
  }

  #literal(literal: string): void {
    for (const char of literal.slice(1)) {
      const byte = this.#read();
      if (byte !== code(char)) this.#refuse(byte, `in literal ${literal} (expecting '${char}')`);
    }
  }

  #string(): void {
    for (;;) {
      const byte = this.#read();
      if (byte === quote) return;
      if (byte < 0x20) this.#refuse(byte, 'in string literal');
      if (byte === backslash) this.#escape();
    }
  }

  #escape(): void {
    const byte = this.#read();
    if (byte === code('u')) {
      for (let i = 0; i < 4; i++) {
        const digit = this.#read();
        if (!/[0-9a-fA-F]/.test(String.fromCharCode(digit))) this.#refuse(digit, 'in \\u hexadecimal character escape');
      }
    } else if (!'"\\/bfnrt'.includes(String.fromCharCode(byte))) this.#refuse(byte, 'in string escape code');
  }

  #number(first: number): void {
    let byte = first;
    if (byte === minus) {
      byte = this.#read();
      if (!isDigit(byte)) this.#refuse(byte, 'in numeric literal');
    }
    if (byte !== zero) this.#digits();
    if (this.#bytes[this.#at] === dot) {
      this.#at++;
      this.#digit('after decimal point in numeric literal');
      this.#digits();
    }
    if (!isExponent(this.#bytes[this.#at] ?? 0)) return;
    this.#at++;
    const sign = this.#bytes[this.#at];
    if (sign === plus || sign === minus) this.#at++;
    this.#digit('in exponent of numeric literal');
    this.#digits();
  }

  #digit(where: string): void {
    const byte = this.#read();
    if (!isDigit(byte)) this.#refuse(byte, where);
  }

  #digits(): void {
    while (isDigit(this.#bytes[this.#at] ?? 0)) this.#at++;
  }

  /** The next byte that is no white space. */
  #next(): number {
    for (;;) {
      const byte = this.#read();
      if (!whitespace.includes(byte)) return byte;
    }
  }

  #read(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new JsonFault('unexpected end of JSON input');
    this.#at++;
    return byte;
  }

  #refuse(byte: number, where: string): never {
    throw new JsonFault(`invalid character ${shown(byte)} ${where}`);
  }
}

/** A byte as Go quotes it: taken for the character of its number. */
function shown(byte: number): string {
  const escapes: Readonly<Record<number, string>> = {
    7: '\\a',
    8: '\\b',
    9: '\\t',
    10: '\\n',
    11: '\\v',
    12: '\\f',
    13: '\\r',
    39: "\\'",
    92: '\\\\',
  };
  const escaped = escapes[byte];
  if (escaped) return `'${escaped}'`;
  const hex = byte.toString(16).padStart(2, '0');
  if (byte < 0x20 || byte === 0x7f) return `'\\x${hex}'`;
  // What does not print above ASCII: the second control block, and the soft hyphen.
  if ((byte >= 0x80 && byte <= 0xa0) || byte === 0xad) return `'\\u00${hex}'`;
  return `'${String.fromCharCode(byte)}'`;
}
