/** Just enough DER (X.690) to write certificates. Each function answers one complete element. */

function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), content]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.concat([Buffer.of(tag, 0x80 | bytes.length, ...bytes), content]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => element(0x30, Buffer.concat(parts));
export const set = (part: Uint8Array): Buffer => element(0x31, part);
export const octetString = (content: Uint8Array): Buffer => element(0x04, content);
export const utf8String = (text: string): Buffer => element(0x0c, Buffer.from(text, 'utf8'));
export const boolean = (value: boolean): Buffer => element(0x01, Buffer.of(value ? 0xff : 0));

/** A non-negative integer, given as big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  return element(0x02, (digits[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits);
}

/** @param unused how many low bits of the last byte do not count */
export function bitString(content: Uint8Array, unused = 0): Buffer {
  return element(0x03, Buffer.concat([Buffer.of(unused), content]));
}

/** `1.2.840.10045.2.1` and the like. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes: number[] = [];
  for (const arc of [first * 40 + second, ...rest]) {
    const group = [arc & 0x7f];
    for (let high = Math.floor(arc / 128); high > 0; high = Math.floor(high / 128)) group.unshift((high & 0x7f) | 0x80);
    bytes.push(...group);
  }
  return element(0x06, Buffer.from(bytes));
}

/** UTCTime through 2049, GeneralizedTime after, as RFC 5280 §4.1.2.5 wants. Milliseconds are dropped. */
export function time(at: number): Buffer {
  const date = new Date(at);
  const digits = date.toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(`${digits.slice(2)}Z`))
    : element(0x18, Buffer.from(`${digits}Z`));
}

/** `[number]` around complete elements. */
export const explicit = (number: number, content: Uint8Array): Buffer => element(0xa0 | number, content);
/** `[number]` in place of a primitive element's own tag. */
export const implicit = (number: number, content: Uint8Array): Buffer => element(0x80 | number, content);
