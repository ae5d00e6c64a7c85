/** An address as its 4 or 16 bytes. */
export type AddressBytes = readonly number[];

export type ParsedAddress = { readonly bytes: AddressBytes; readonly zone: string } | { readonly error: string };

type Failure = { readonly error: string };

/** Reads an address as Go's `netip` does; the error is worded like its own. */
export function parseAddress(text: string): ParsedAddress {
  const fail = (why: string, at = ''): Failure => {
    const place = at === '' ? '' : ` (at ${JSON.stringify(at)})`;
    return { error: `ParseAddr(${JSON.stringify(text)}): ${why}${place}` };
  };
  for (const char of text) {
    if (char === '.') {
      const bytes = parseV4(text, fail);
      return 'error' in bytes ? bytes : { bytes, zone: '' };
    }
    if (char === ':') return parseV6(text, fail);
    if (char === '%') return fail('missing IPv6 address');
  }
  return fail('unable to parse IP');
}

type Fail = (why: string, at?: string) => Failure;

function parseV4(text: string, fail: Fail): number[] | Failure {
  const bytes: number[] = [];
  let value = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (/\d/.test(char)) {
      if (digits === 1 && value === 0) return fail('IPv4 field has octet with leading zero');
      value = value * 10 + Number(char);
      digits += 1;
      if (value > 255) return fail('IPv4 field has value >255');
    } else if (char === '.') {
      if (at === 0 || at === text.length - 1 || text[at - 1] === '.') {
        return fail('IPv4 field must have at least one digit', text.slice(at));
      }
      if (bytes.length === 3) return fail('IPv4 address too long');
      bytes.push(value);
      value = 0;
      digits = 0;
    } else return fail('unexpected character', text.slice(at));
  }
  return bytes.length < 3 ? fail('IPv4 address too short') : [...bytes, value];
}

function parseV6(text: string, fail: Fail): ParsedAddress {
  const percent = text.indexOf('%');
  const zone = percent < 0 ? '' : text.slice(percent + 1);
  if (percent >= 0 && zone === '') return fail('zone must be a non-empty string');
  const body = percent < 0 ? text : text.slice(0, percent);
  const read = readGroups(body, fail);
  if ('error' in read) return read;
  const { bytes, gap, rest } = read;
  if (rest !== '') return fail('trailing garbage after address', rest);
  if (bytes.length === 16) {
    return gap === undefined ? { bytes, zone } : fail('the :: must expand to at least one field of zeros');
  }
  if (gap === undefined) return fail('address string too short');
  const zeros = Array.from({ length: 16 - bytes.length }, () => 0);
  return { bytes: [...bytes.slice(0, gap), ...zeros, ...bytes.slice(gap)], zone };
}

interface Groups {
  readonly bytes: number[];
  /** Where `::` stands, in bytes. */
  readonly gap: number | undefined;
  readonly rest: string;
}

/** Reads up to 16 bytes, of groups of hexadecimal digits and perhaps an IPv4 address at the end. */
function readGroups(body: string, fail: Fail): Groups | Failure {
  const bytes: number[] = [];
  let gap = body.startsWith('::') ? 0 : undefined;
  let rest = gap === undefined ? body : body.slice(2);
  if (rest === '' && gap === 0) return { bytes, gap, rest };
  while (bytes.length < 16) {
    const digits = /^[0-9a-fA-F]*/.exec(rest)?.[0] ?? '';
    if (digits.length > 4) return fail('each group must have 4 or less digits', rest);
    if (digits === '') return fail('each colon-separated field must have at least one digit', rest);
    if (rest[digits.length] === '.') return withV4(bytes, gap, rest, fail);
    const group = Number.parseInt(digits, 16);
    bytes.push(group >> 8, group & 0xff);
    rest = rest.slice(digits.length);
    if (rest === '') break;
    if (!rest.startsWith(':')) return fail('unexpected character, want colon', rest);
    if (rest.length === 1) return fail('colon must be followed by more characters', rest);
    rest = rest.slice(1);
    if (!rest.startsWith(':')) continue;
    if (gap !== undefined) return fail('multiple :: in address', rest);
    gap = bytes.length;
    rest = rest.slice(1);
    if (rest === '') break;
  }
  return { bytes, gap, rest };
}

function withV4(bytes: number[], gap: number | undefined, rest: string, fail: Fail): Groups | Failure {
  if (gap === undefined && bytes.length !== 12) {
    return fail('embedded IPv4 address must replace the final 2 fields of the address', rest);
  }
  if (bytes.length > 12) return fail('too many hex fields to fit an embedded IPv4 at the end of the address', rest);
  const v4 = parseV4(rest, fail);
  return 'error' in v4 ? v4 : { bytes: [...bytes, ...v4], gap, rest: '' };
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
