/** An address as its 4 or 16 bytes. */
export type AddressBytes = readonly number[];

export type ParsedAddress = { readonly bytes: AddressBytes; readonly zone: string } | { readonly error: string };

/** Reads an address as Go's `netip` does; the error is worded like its own. */
export function parseAddress(text: string): ParsedAddress {
  const fail = (why: string): ParsedAddress => ({ error: `ParseAddr(${JSON.stringify(text)}): ${why}` });
  for (const char of text) {
    if (char === '.') return parseV4(text, fail);
    if (char === ':') return parseV6(text, fail);
    if (char === '%') return fail('missing IPv6 address');
  }
  return fail('unable to parse IP');
}

type Fail = (why: string) => ParsedAddress;

function parseV4(text: string, fail: Fail): ParsedAddress {
  const bad = /[^\d.]/.exec(text);
  if (bad) return fail(`unexpected character (at ${JSON.stringify(text.slice(bad.index))})`);
  const parts = text.split('.');
  if (parts.some((part) => part === '')) return fail('IPv4 field must have at least one digit');
  if (parts.some((part) => part.length > 1 && part.startsWith('0')))
    return fail('IPv4 field has octet with leading zero');
  if (parts.some((part) => Number(part) > 255)) return fail('IPv4 field has value >255');
  if (parts.length < 4) return fail('IPv4 address too short');
  if (parts.length > 4) return fail('IPv4 address too long');
  return { bytes: parts.map(Number), zone: '' };
}

function parseV6(text: string, fail: Fail): ParsedAddress {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return fail('zone must be a non-empty string');
  const body = percent < 0 ? text : text.slice(0, percent);
  const halves = body.split('::');
  if (halves.length > 2) return fail('multiple :: in address');
  const [head, tail] = halves.map((half) => (half === '' ? [] : groups(half)));
  if (!head || (halves.length === 2 && !tail)) return fail('each colon-separated field must have at least one digit');
  const bytes = [...head, ...(tail ?? [])];
  if (halves.length === 1) {
    if (bytes.length < 16) return fail('address string too short');
    return bytes.length > 16 ? fail('trailing garbage after address') : { bytes, zone };
  }
  if (bytes.length > 14) return fail('the :: must expand to at least one field of zeros');
  return { bytes: [...head, ...Array.from({ length: 16 - bytes.length }, () => 0), ...(tail ?? [])], zone };
}

function groups(text: string): number[] | undefined {
  const bytes: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (part.includes('.') && index === parts.length - 1) {
      const v4 = parseV4(part, (error) => ({ error }));
      if ('error' in v4) return undefined;
      bytes.push(...v4.bytes);
    } else if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      const group = Number.parseInt(part, 16);
      bytes.push(group >> 8, group & 0xff);
    } else return undefined;
  }
  return bytes;
}

/** The one short form of an address (RFC 5952). */
export function formatAddress(bytes: AddressBytes): string {
  if (bytes.length === 4) return bytes.join('.');
  const words = Array.from({ length: 8 }, (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0));
  const { start, length } = longestZeros(words);
  const hex = (part: readonly number[]) => part.map((word) => word.toString(16)).join(':');
  if (length < 2) return hex(words);
  return `${hex(words.slice(0, start))}::${hex(words.slice(start + length))}`;
}

function longestZeros(words: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < words.length; start += 1) {
    let length = 0;
    while (words[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** `::ffff:1.2.3.4` */
export function isMapped(bytes: AddressBytes): boolean {
  return (
    bytes.length === 16 && bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  );
}

/** An address with all bits after the first `bits` cleared. */
export function maskAddress(bytes: AddressBytes, bits: number): AddressBytes {
  return bytes.map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff << (8 - kept)) & 0xff;
  });
}

export function sameAddress(a: AddressBytes, b: AddressBytes): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
