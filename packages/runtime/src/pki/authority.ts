import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { type Clock, messageOf, type Random, systemRandom } from '../core/index.ts';
import { type CertificateRequest, type KeyUses, pem, type Subject, signCertificate } from './certificate.ts';
import type { SigningRequest } from './certificate-request.ts';

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority with an EC P-256 key. */
export interface Authority extends KeyPair {
  /** A certificate for a server. `names`: the DNS names and IP addresses it answers to. */
  issueServer(names: readonly string[], options?: ServerCertificateOptions): KeyPair;
  /** A certificate that names a user and its groups; lives a year. */
  issueClient(user: { readonly name: string; readonly groups?: readonly string[] }): KeyPair;
  /** Until when it can sign, in milliseconds since the epoch. */
  readonly notAfter: number;
  /** A certificate (PEM) for the key, subject and other names of a request. Times in milliseconds since the epoch. */
  signRequest(request: SigningRequest, grant: CertificateGrant): string;
}

/** Of a certificate for a server. */
export interface ServerCertificateOptions {
  /** Shown to people; clients go by the names. Default: `server`. */
  readonly commonName?: string;
  /** Milliseconds from now; default a year. */
  readonly lifetime?: number;
}

/** What a certificate for a request is good for, and when. */
export interface CertificateGrant {
  readonly uses: KeyUses;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Of a certificate authority, new or made before. */
export interface AuthorityOptions {
  readonly clock: Clock;
  /** Draws serial numbers; keys always come from the system. */
  readonly random?: Random;
  /** An authority made before; its `name` must be given as it was then. */
  readonly existing?: KeyPair;
  /** What it is called in its certificate; default `coxswain-ca`. */
  readonly name?: string;
  /** Milliseconds from now that its own certificate is good for; default ten years. */
  readonly lifetime?: number;
}

const hour = 3_600_000;
/** For those whose clocks are behind. */
const backdating = hour;
const year = 365 * 24 * hour;

/** When this kind of authority made a certificate (PEM), in milliseconds since the epoch: an hour after it begins to be good. */
export function issuedAt(cert: string): number {
  return new X509Certificate(cert).validFromDate.getTime() + backdating;
}

/** A new EC P-256 key pair; also what service account tokens are signed with. */
export function generateKey(): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** PKCS #8, PEM. */
export function privatePem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Makes a new authority, or takes up the `existing` one. */
export function createAuthority(options: AuthorityOptions): Authority {
  const { clock, random = systemRandom, existing, name: commonName = 'coxswain-ca', lifetime = 10 * year } = options;
  const authorityName: Subject = { commonName };
  const privateKey = existing ? createPrivateKey(existing.key) : generateKey().privateKey;
  const publicKey = createPublicKey(privateKey);
  const issuer = { issuer: authorityName, issuerPublicKey: publicKey, issuerPrivateKey: privateKey };
  const validFor = (ms: number) => ({
    serial: serialNumber(random),
    notBefore: clock.now() - backdating,
    notAfter: clock.now() + ms,
  });
  const issue = (request: Pick<CertificateRequest, 'subject' | 'use' | 'names'>, ms = year): KeyPair => {
    const key = generateKey();
    const der = signCertificate({ ...request, ...issuer, ...validFor(ms), publicKey: key.publicKey });
    return { cert: pem('CERTIFICATE', der), key: privatePem(key.privateKey) };
  };
  const own = () =>
    signCertificate({ ...issuer, ...validFor(lifetime), subject: authorityName, use: 'authority', publicKey });
  const cert = existing?.cert ?? pem('CERTIFICATE', own());
  return {
    cert,
    get notAfter() {
      return Date.parse(new X509Certificate(cert).validTo);
    },
    signRequest: ({ publicKey: key, subject, names }, { uses, notBefore, notAfter }) => {
      const times = { serial: serialNumber(random), notBefore, notAfter };
      const alternativeNames = names.der ? { alternativeNames: names.der } : {};
      const request = { ...issuer, ...times, ...alternativeNames, subject, use: uses, publicKey: key };
      return pem('CERTIFICATE', signCertificate(request));
    },
    key: existing?.key ?? privatePem(privateKey),
    issueServer: (names, { commonName: name = 'server', lifetime: ms } = {}) =>
      issue({ subject: { commonName: name }, use: 'server', names }, ms),
    issueClient: ({ name, groups = [] }) =>
      issue({ subject: { commonName: name, organizations: groups }, use: 'client' }),
  };
}

/** Why a stored authority cannot be used now; `undefined` when it can. */
export function authorityProblem(pair: KeyPair, now: number): string | undefined {
  try {
    const certificate = new X509Certificate(pair.cert);
    if (!certificate.checkPrivateKey(createPrivateKey(pair.key))) return 'the key does not belong to the certificate';
    if (!certificate.ca) return 'the certificate is not one of an authority';
    if (Date.parse(certificate.validTo) <= now) return `the certificate expired on ${certificate.validTo}`;
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** 16 random bytes; the first bit is 0 and the next 1, so the number is positive and of full length. */
function serialNumber(random: Random): Buffer {
  const bytes = Buffer.from(Array.from({ length: 16 }, () => Math.floor(random.next() * 256)));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}
