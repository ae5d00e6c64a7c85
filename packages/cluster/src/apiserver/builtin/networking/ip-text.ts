import { BlockList, isIP, SocketAddress } from 'node:net';
import type { FieldError } from '@coxswain/schema';
import { invalidValue } from '../shared/errors.ts';

const leadingZeros = /(^|\.)0\d/;
const mapped = /^::ffff:\d+\.\d+\.\d+\.\d+$/i;

/** An address with zeros before the digits of its parts taken away; Go once read such. */
const withoutZeros = (text: string): string => text.replace(/(^|\.)0+(?=\d)/g, '$1');

/** IPv6 in the shortest form (RFC 5952), IPv4 as it is. */
function canonicalAddress(text: string): string {
  const { address } = new SocketAddress({ address: text, family: isIP(text) === 6 ? 'ipv6' : 'ipv4' });
  return address;
}

/** Checks an address for fields that take its one canonical form only. Answers the texts of what is wrong. */
export function ipTexts(value: string): readonly string[] {
  const dotted = leadingZeros.test(value) && !value.includes(':');
  if (isIP(dotted ? withoutZeros(value) : value) === 0 || value.includes('%')) {
    return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
  }
  if (dotted) return ['must not have leading 0s'];
  const canonical = canonicalAddress(value);
  if (mapped.test(canonical)) return ['must not be an IPv4-mapped IPv6 address'];
  return value === canonical ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** Whether the address has no bits set behind the prefix: it is then the first of its subnet. */
function isNetworkAddress(address: string, prefix: number): boolean {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  const bits = family === 'ipv6' ? 128 : 32;
  return networkAddress(address, prefix, bits) === canonicalAddress(address);
}

/** The parts of an address as numbers: four bytes, or eight words. */
function partsOf(address: string): readonly number[] {
  if (isIP(address) === 4) return address.split('.').map(Number);
  const [head = '', tail] = address.split('::');
  const words = (text: string) => (text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16)));
  const [left, right] = [words(head), words(tail ?? '')];
  const gap = tail === undefined ? 0 : 8 - left.length - right.length;
  return [...left, ...Array<number>(gap).fill(0), ...right];
}

function networkAddress(address: string, prefix: number, bits: number): string {
  const size = bits === 128 ? 16 : 8;
  const masked = partsOf(canonicalAddress(address)).map((part, i) => {
    const kept = Math.min(size, Math.max(0, prefix - i * size));
    return part & (((1 << size) - 1) << (size - kept));
  });
  if (bits === 32) return masked.join('.');
  return canonicalAddress(masked.map((word) => (word & 0xffff).toString(16)).join(':'));
}

/** `IPv4`, `IPv6` or `''` of a subnet in CIDR form. */
export function cidrFamily(value: string): string {
  const version = isIP(value.split('/')[0] ?? '');
  return version === 0 ? '' : `IPv${version}`;
}

const badCidr = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Checks a subnet for fields that take its one canonical form only. */
export function cidrErrors(value: string, field: string): readonly FieldError[] {
  const [address = '', length = '', ...rest] = value.split('/');
  const dotted = leadingZeros.test(address) && !address.includes(':');
  const version = isIP(dotted ? withoutZeros(address) : address);
  const prefix = Number(length);
  const most = version === 6 ? 128 : 32;
  const readable = version !== 0 && rest.length === 0 && /^\d+$/.test(length) && prefix <= most;
  const invalid = (text: string) => [invalidValue(field, value, text)];
  if (!readable || address.includes('%')) return invalid(badCidr);
  if (dotted || /^0\d/.test(length)) return invalid('must not have leading 0s in IP or prefix length');
  const canonical = canonicalAddress(address);
  if (mapped.test(canonical)) return invalid('must not have an IPv4-mapped IPv6 address');
  if (!isNetworkAddress(address, prefix)) return invalid('must not have bits set beyond the prefix length');
  const whole = `${canonical}/${prefix}`;
  return value === whole ? [] : invalid(`must be in canonical form (${JSON.stringify(whole)})`);
}

/** Whether a subnet, well formed, has the address. */
export function subnetHas(cidr: string, address: string): boolean {
  const [network = '', prefix = ''] = cidr.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(address) !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}
