import type { Library } from '../types/environment.ts';
import { type Overload, overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { Opaque, type Value } from '../values/value.ts';
import { text } from './arguments.ts';
import { type AddressBytes, formatAddress, isMapped, maskAddress, parseAddress, sameAddress } from './ip-address.ts';

class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly bytes: AddressBytes;

  constructor(bytes: AddressBytes) {
    super();
    this.bytes = bytes;
  }

  override get size(): number {
    return this.bytes.length;
  }

  equals(other: Opaque): boolean {
    return other instanceof Ip && sameAddress(this.bytes, other.bytes);
  }

  override toString(): string {
    return formatAddress(this.bytes);
  }
}

class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly bytes: AddressBytes;
  readonly bits: number;

  constructor(bytes: AddressBytes, bits: number) {
    super();
    this.bytes = bytes;
    this.bits = bits;
  }

  override get size(): number {
    return Math.ceil(this.bits / 8);
  }

  equals(other: Opaque): boolean {
    return other instanceof Cidr && this.bits === other.bits && sameAddress(this.bytes, other.bytes);
  }

  override toString(): string {
    return `${formatAddress(this.bytes)}/${this.bits}`;
  }

  contains(bytes: AddressBytes, bits: number): boolean {
    if (bytes.length !== this.bytes.length || bits < this.bits) return false;
    return sameAddress(maskAddress(bytes, this.bits), maskAddress(this.bytes, this.bits));
  }
}

function readIp(raw: string): Ip | { error: string } {
  const parsed = parseAddress(raw);
  const shown = JSON.stringify(raw);
  if ('error' in parsed)
    return { error: `IP Address ${shown} parse error during conversion from string: ${parsed.error}` };
  if (parsed.zone !== '') return { error: `IP address ${shown} with zone value is not allowed` };
  if (isMapped(parsed.bytes)) return { error: `IPv4-mapped IPv6 address ${shown} is not allowed` };
  return new Ip(parsed.bytes);
}

const context = 'network address parse error during conversion from string: ';

function readCidr(raw: string): Cidr | { error: string } {
  const fail = (why: string) => ({ error: `${context}netip.ParsePrefix(${JSON.stringify(raw)}): ${why}` });
  const slash = raw.lastIndexOf('/');
  if (slash < 0) return fail("no '/'");
  const parsed = parseAddress(raw.slice(0, slash));
  if ('error' in parsed) return fail(parsed.error);
  if (parsed.zone !== '') return fail('IPv6 zones cannot be present in a prefix');
  const length = raw.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(length)) return fail(`bad bits after slash: ${JSON.stringify(length)}`);
  if (Number(length) > parsed.bytes.length * 8) return fail('prefix length out of range');
  if (isMapped(parsed.bytes)) return { error: `IPv4-mapped IPv6 address ${JSON.stringify(raw)} is not allowed` };
  return new Cidr(parsed.bytes, Number(length));
}

function toIp(value: Value): Ip {
  const read = readIp(text(value));
  if (read instanceof Ip) return read;
  throw new CelError(read.error);
}

function toCidr(value: Value): Cidr {
  const read = readCidr(text(value));
  if (read instanceof Cidr) return read;
  throw new CelError(context + read.error);
}

function ip(value: Value): Ip {
  if (!(value instanceof Ip)) throw noSuchOverload();
  return value;
}

function cidr(value: Value): Cidr {
  if (!(value instanceof Cidr)) throw noSuchOverload();
  return value;
}

function isLoopback({ bytes }: Ip): boolean {
  return bytes.length === 4 ? bytes[0] === 127 : bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1;
}

function isUnspecified({ bytes }: Ip): boolean {
  return bytes.every((byte) => byte === 0);
}

function isMulticast({ bytes }: Ip): boolean {
  return bytes.length === 4 ? ((bytes[0] ?? 0) & 0xf0) === 0xe0 : bytes[0] === 0xff;
}

function isLinkLocalMulticast({ bytes }: Ip): boolean {
  if (bytes.length === 4) return bytes[0] === 224 && bytes[1] === 0 && bytes[2] === 0;
  return bytes[0] === 0xff && ((bytes[1] ?? 0) & 0x0f) === 0x02;
}

function isLinkLocalUnicast({ bytes }: Ip): boolean {
  return bytes.length === 4
    ? bytes[0] === 169 && bytes[1] === 254
    : bytes[0] === 0xfe && ((bytes[1] ?? 0) & 0xc0) === 0x80;
}

function isGlobalUnicast(address: Ip): boolean {
  const { bytes } = address;
  const broadcast = bytes.length === 4 && bytes.every((byte) => byte === 255);
  return (
    !broadcast &&
    !isUnspecified(address) &&
    !isLoopback(address) &&
    !isMulticast(address) &&
    !isLinkLocalUnicast(address)
  );
}

function test(name: string, id: string, holds: (address: Ip) => boolean): Overload {
  return overload(id, `net.IP::${name}() -> bool`, (value) => holds(ip(value)));
}

/** Kubernetes' addresses and networks. */
export const networkLibrary: Library = {
  types: [parseType('net.IP'), parseType('net.CIDR')],
  overloads: [
    overload('string_to_ip', 'ip(string) -> net.IP', toIp),
    overload('ip_family', 'net.IP::family() -> int', (value) => (ip(value).bytes.length === 4 ? 4 : 6)),
    overload('ip_is_canonical', 'ip.isCanonical(string) -> bool', (value) => toIp(value).toString() === value),
    test('isUnspecified', 'ip_is_unspecified', isUnspecified),
    test('isLoopback', 'ip_is_loopback', isLoopback),
    test('isLinkLocalMulticast', 'ip_is_link_local_multicast', isLinkLocalMulticast),
    test('isLinkLocalUnicast', 'ip_is_link_local_unicast', isLinkLocalUnicast),
    test('isGlobalUnicast', 'ip_is_global_unicast', isGlobalUnicast),
    overload('is_ip', 'isIP(string) -> bool', (value) => readIp(text(value)) instanceof Ip),
    overload('ip_to_string', 'string(net.IP) -> string', (value) => ip(value).toString()),
    overload('string_to_cidr', 'cidr(string) -> net.CIDR', toCidr),
    overload('cidr_contains_ip_string', 'net.CIDR::containsIP(string) -> bool', (a, b) => containsIp(a, toIp(b))),
    overload('cidr_contains_ip_ip', 'net.CIDR::containsIP(net.IP) -> bool', (a, b) => containsIp(a, ip(b))),
    overload('cidr_contains_cidr_string', 'net.CIDR::containsCIDR(string) -> bool', (a, b) =>
      containsCidr(a, toCidr(b)),
    ),
    overload('cidr_contains_cidr', 'net.CIDR::containsCIDR(net.CIDR) -> bool', (a, b) => containsCidr(a, cidr(b))),
    overload('cidr_ip', 'net.CIDR::ip() -> net.IP', (value) => new Ip(cidr(value).bytes)),
    overload('cidr_prefix_length', 'net.CIDR::prefixLength() -> int', (value) => cidr(value).bits),
    overload('cidr_masked', 'net.CIDR::masked() -> net.CIDR', (value) => {
      const { bytes, bits } = cidr(value);
      return new Cidr(maskAddress(bytes, bits), bits);
    }),
    overload('is_cidr', 'isCIDR(string) -> bool', (value) => readCidr(text(value)) instanceof Cidr),
    overload('cidr_to_string', 'string(net.CIDR) -> string', (value) => cidr(value).toString()),
  ],
};

function containsIp(network: Value, address: Ip): boolean {
  return cidr(network).contains(address.bytes, address.bytes.length * 8);
}

function containsCidr(network: Value, inner: Cidr): boolean {
  return cidr(network).contains(inner.bytes, inner.bits);
}
