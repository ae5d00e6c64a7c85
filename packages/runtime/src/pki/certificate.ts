import { createHash, type KeyObject, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  time,
  utf8String,
} from './der.ts';

/** Who a certificate is for: user name and groups, in Kubernetes' reading. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** What a key may be used for, one by one. */
export interface KeyUses {
  /** Numbers of bits of the key usage extension (RFC 5280 §4.2.1.3): 0 is digitalSignature. */
  readonly bits: readonly number[];
  /** Object identifiers of extended uses. */
  readonly extended: readonly string[];
}

export interface CertificateRequest {
  /** DER when it is taken over from a request. */
  readonly subject: Subject | Uint8Array;
  readonly issuer: Subject;
  readonly use: 'authority' | 'server' | 'client' | KeyUses;
  /** Key that the certificate is about. */
  readonly publicKey: KeyObject;
  readonly issuerPublicKey: KeyObject;
  readonly issuerPrivateKey: KeyObject;
  /** Up to 20 bytes, positive, unique under the issuer. */
  readonly serial: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** DNS names and IP addresses of a server. */
  readonly names?: readonly string[];
  /** The value of the subjectAltName extension (DER), taken over from a request. */
  readonly alternativeNames?: Uint8Array;
}

const oid = {
  commonName: objectIdentifier('2.5.4.3'),
  organization: objectIdentifier('2.5.4.10'),
  ecdsaWithSha256: objectIdentifier('1.2.840.10045.4.3.2'),
  subjectKeyIdentifier: objectIdentifier('2.5.29.14'),
  keyUsage: objectIdentifier('2.5.29.15'),
  subjectAltName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
  authorityKeyIdentifier: objectIdentifier('2.5.29.35'),
  extendedKeyUsage: objectIdentifier('2.5.29.37'),
  serverAuth: objectIdentifier('1.3.6.1.5.5.7.3.1'),
  clientAuth: objectIdentifier('1.3.6.1.5.5.7.3.2'),
};

/** An X.509 v3 certificate (DER), signed with ECDSA and SHA-256. The issuer's key is P-256. */
export function signCertificate(request: CertificateRequest): Buffer {
  const algorithm = sequence(oid.ecdsaWithSha256);
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(request.serial),
    algorithm,
    distinguishedName(request.issuer),
    sequence(time(request.notBefore), time(request.notAfter)),
    request.subject instanceof Uint8Array ? request.subject : distinguishedName(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions(request))),
  );
  return sequence(body, algorithm, bitString(sign('sha256', body, request.issuerPrivateKey)));
}

/** PEM armour around DER. */
export function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

function distinguishedName(subject: Subject): Buffer {
  const attribute = (type: Buffer, value: string) => set(sequence(type, utf8String(value)));
  const organizations = (subject.organizations ?? []).map((name) => attribute(oid.organization, name));
  return sequence(...organizations, attribute(oid.commonName, subject.commonName));
}

function usesExtensions({ bits, extended }: KeyUses): Buffer[] {
  const list: Buffer[] = [];
  if (bits.length > 0) {
    const last = Math.max(...bits);
    const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
    for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
    list.push(extension(oid.keyUsage, bitString(bytes, 7 - (last & 7)), true));
  }
  if (extended.length > 0) list.push(extension(oid.extendedKeyUsage, sequence(...extended.map(objectIdentifier))));
  return list;
}

function extensions(request: CertificateRequest): Buffer[] {
  if (typeof request.use !== 'string') {
    const { use, issuerPublicKey, alternativeNames } = request;
    return [
      ...usesExtensions(use),
      extension(oid.basicConstraints, sequence(), true),
      extension(oid.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(issuerPublicKey)))),
      ...(alternativeNames ? [extension(oid.subjectAltName, alternativeNames)] : []),
    ];
  }
  const authority = request.use === 'authority';
  const list = [
    extension(oid.basicConstraints, sequence(...(authority ? [boolean(true)] : [])), true),
    // digitalSignature is bit 0, keyCertSign bit 5, cRLSign bit 6.
    extension(oid.keyUsage, authority ? bitString(Buffer.of(0x86), 1) : bitString(Buffer.of(0x80), 7), true),
    extension(oid.subjectKeyIdentifier, octetString(keyIdentifier(request.publicKey))),
    extension(oid.authorityKeyIdentifier, sequence(implicit(0, keyIdentifier(request.issuerPublicKey)))),
  ];
  if (!authority)
    list.push(extension(oid.extendedKeyUsage, sequence(request.use === 'server' ? oid.serverAuth : oid.clientAuth)));
  if (request.names?.length) list.push(extension(oid.subjectAltName, sequence(...request.names.map(generalName))));
  return list;
}

function extension(id: Buffer, value: Uint8Array, critical = false): Buffer {
  return critical ? sequence(id, boolean(true), octetString(value)) : sequence(id, octetString(value));
}

/** SHA-1 of the public key's bits (RFC 5280 §4.2.1.2); of a P-256 key these are the last 65 bytes of its SPKI. */
function keyIdentifier(key: KeyObject): Buffer {
  const spki = key.export({ type: 'spki', format: 'der' });
  return createHash('sha1').update(spki.subarray(-65)).digest();
}

function generalName(name: string): Buffer {
  if (isIPv4(name)) return implicit(7, Buffer.from(name.split('.').map(Number)));
  if (isIPv6(name)) return implicit(7, ipv6Bytes(name));
  return implicit(2, Buffer.from(name, 'ascii'));
}

/** The 16 bytes of an IPv6 address in hexadecimal groups, with or without `::`. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail ? tail.split(':') : [];
  const groups = [...left, ...Array(8 - left.length - right.length).fill('0'), ...right];
  return Buffer.from(groups.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]));
}
