import { isIP } from 'node:net';
import type { FieldError } from '@coxswain/schema';
import { invalidValue } from './errors.ts';

export const badAddressText = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
export const badRangeText = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** The address without what old clients may write: zeros before the numbers of an IPv4 address. */
function withoutZeros(text: string): string {
  return /^[0-9.]+$/.test(text) ? text.replaceAll(/\b0+(?=\d)/g, '') : text;
}

/** 4 or 6, or 0 for what is no address. Old objects may have zeros before the numbers. */
export function addressFamily(text: string): 0 | 4 | 6 {
  if (text.includes('%')) return 0;
  return isIP(withoutZeros(text)) as 0 | 4 | 6;
}

export function validateAddress(text: string, field: string): readonly FieldError[] {
  return addressFamily(text) === 0 ? [invalidValue(field, text, badAddressText)] : [];
}

/** Whether a text is `address/bits`. */
export function isRange(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/');
  const family = addressFamily(address);
  return family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}

/** An address as a number. @throws SyntaxError on what is no address */
export function addressNumber(text: string): bigint {
  if (addressFamily(text) === 4) {
    return withoutZeros(text)
      .split('.')
      .reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  }
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const plain = dotted ? `${dotted[1]}${hextets(addressNumber(dotted[2] ?? ''))}` : text;
  const [head = '', tail] = plain.split('::');
  const first = head.split(':').filter((part) => part !== '');
  const last = (tail ?? '').split(':').filter((part) => part !== '');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...middle, ...last].reduce((sum, part) => sum * 65536n + BigInt(`0x${part}`), 0n);
}

function hextets(value: bigint): string {
  return `${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

/** First address and number of bits of a range that {@link isRange}. */
export function rangeOf(text: string): {
  readonly start: bigint;
  readonly bits: number;
  readonly family: 4 | 6;
  readonly exact: boolean;
} {
  const [address = '', bitText = ''] = text.split('/');
  const family = addressFamily(address) === 4 ? 4 : 6;
  const bits = Number(bitText);
  const free = BigInt((family === 4 ? 32 : 128) - bits);
  const value = addressNumber(address);
  const start = (value >> free) << free;
  return { start, bits, family, exact: start === value };
}

/** The one form in which an address should be written. */
export function canonicalAddress(text: string): string {
  if (addressFamily(text) === 4) return withoutZeros(text);
  return new URL(`http://[${text}]`).hostname.slice(1, -1);
}

/** What is said of an address that is understood, but should be written in another way. */
export function addressWarnings(text: string, field: string): readonly string[] {
  if (addressFamily(text) === 0) return [];
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(text);
  const canonical = mapped?.[1] ?? canonicalAddress(text);
  if (canonical === text) return [];
  if (mapped || addressFamily(text) === 4) {
    return [`${field}: non-standard IP address ${JSON.stringify(text)} is invalid: use ${JSON.stringify(canonical)}`];
  }
  return [
    `${field}: IPv6 address ${JSON.stringify(text)} should be in RFC 5952 canonical format (${JSON.stringify(canonical)})`,
  ];
}

/** A range as it has to be written today. */
export function validateStrictRange(text: string, field: string): readonly FieldError[] {
  if (!isRange(text)) return [invalidValue(field, text, badRangeText)];
  const zeros = /(^|[./])0\d/.test(text) && !text.includes(':');
  if (zeros) return [invalidValue(field, text, 'must not have leading 0s in IP or prefix length')];
  return rangeOf(text).exact ? [] : [invalidValue(field, text, 'must not have bits set beyond the prefix length')];
}
