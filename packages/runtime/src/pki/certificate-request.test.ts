import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bitString, integer, objectIdentifier, sequence, set, utf8String } from './der.ts';
import { DerError, parseCertificateRequest, pemBlocks } from './index.ts';

const ecdsa = objectIdentifier('1.2.840.10045.4.3.2');
const organization = objectIdentifier('2.5.4.10');

function requestOf(key: { publicKey: KeyObject; privateKey: KeyObject }, organizations: readonly string[]): Buffer {
  const subject = sequence(...organizations.map((name) => set(sequence(organization, utf8String(name)))));
  const spki = key.publicKey.export({ format: 'der', type: 'spki' });
  const info = sequence(integer(Buffer.of(0)), subject, spki, Buffer.of(0xa0, 0));
  return sequence(info, sequence(ecdsa), bitString(sign('sha256', info, key.privateKey)));
}

const key = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const request = requestOf(key, ['dev', 'ops']);

test('a request tells its key and its groups, and whether it signed itself', () => {
  const { publicKey, organizations, signatureError } = parseCertificateRequest(request);
  expect(publicKey.equals(key.publicKey)).toBe(true);
  expect(organizations).toEqual(['dev', 'ops']);
  expect(signatureError).toBeUndefined();
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const forged = requestOf({ publicKey: key.publicKey, privateKey: other.privateKey }, []);
  expect(parseCertificateRequest(forged).signatureError).toBe('x509: ECDSA verification failure');
});

test('bytes that are no request are refused, whatever they are', () => {
  const mangled = fc.tuple(fc.nat(request.length - 1), fc.nat(255)).map(([at, value]) => {
    const bytes = Buffer.from(request);
    bytes[at] = value;
    return bytes;
  });
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 64 }),
    mangled,
    fc.nat(request.length).map((n) => request.subarray(0, n)),
  );
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      try {
        parseCertificateRequest(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(DerError);
      }
    }),
    { numRuns: 500 },
  );
});

test('blocks of PEM are found among other text, with their headers or without', () => {
  const block = (type: string, inner: string) => `-----BEGIN ${type}-----\n${inner}\n-----END ${type}-----\n`;
  const text = `before\n${block('A', 'AAEC')}between\n${block('B', 'Name: x\n\nAwQF')}${block('C', 'not base64!')}`;
  expect(pemBlocks(text)).toEqual([
    { type: 'A', hasHeaders: false, bytes: Buffer.of(0, 1, 2) },
    { type: 'B', hasHeaders: true, bytes: Buffer.of(3, 4, 5) },
  ]);
  expect(pemBlocks(block('A', 'AAEC').replaceAll('\n', '\r\n'))).toHaveLength(1);
  expect(pemBlocks('-----BEGIN A-----\nAAEC\n-----END B-----')).toEqual([]);
});
