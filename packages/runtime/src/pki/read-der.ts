/** One DER element: its tag, its content, and all its bytes. */
export interface DerElement {
  readonly tag: number;
  readonly content: Uint8Array;
  readonly whole: Uint8Array;
}

/** Bytes that are no DER. */
export class DerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'DerError';
  }
}

function lengthAt(bytes: Uint8Array, at: number): { readonly length: number; readonly start: number } {
  const first = bytes[at];
  if (first === undefined) throw new DerError('syntax error: truncated tag or length');
  if (first < 0x80) return { length: first, start: at + 1 };
  const size = first & 0x7f;
  if (size === 0) throw new DerError('syntax error: indefinite length found (not DER)');
  if (size > 4) throw new DerError('structure error: length too large');
  let length = 0;
  for (let i = 1; i <= size; i++) {
    const byte = bytes[at + i];
    if (byte === undefined) throw new DerError('syntax error: truncated tag or length');
    length = length * 256 + byte;
  }
  return { length, start: at + 1 + size };
}

/** The element at the start of `bytes`; what follows it is left alone. @throws DerError */
export function readDer(bytes: Uint8Array): DerElement {
  const tag = bytes[0];
  if (tag === undefined) throw new DerError('syntax error: sequence truncated');
  const { length, start } = lengthAt(bytes, 1);
  if (start + length > bytes.length) throw new DerError('syntax error: data truncated');
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(0, start + length) };
}

/** The elements that follow each other in `content`. @throws DerError */
export function derElements(content: Uint8Array): readonly DerElement[] {
  const elements: DerElement[] = [];
  for (let rest = content; rest.length > 0; ) {
    const element = readDer(rest);
    elements.push(element);
    rest = rest.subarray(element.whole.length);
  }
  return elements;
}

/** An object identifier's content as dotted text. */
export function dottedIdentifier(content: Uint8Array): string {
  const arcs: number[] = [];
  let value = 0;
  for (const byte of content) {
    value = value * 128 + (byte & 0x7f);
    if (byte & 0x80) continue;
    if (arcs.length === 0)
      arcs.push(Math.min(2, Math.floor(value / 40)), value - 40 * Math.min(2, Math.floor(value / 40)));
    else arcs.push(value);
    value = 0;
  }
  return arcs.join('.');
}
