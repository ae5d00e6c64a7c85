import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { type KeyPair, pem, pemBlocks } from '../../pki/index.ts';

/** What the Secret of a webhook server holds. */
export interface StoredCertificate {
  /** What is served with (`tls.crt`, `tls.key`). */
  readonly current?: KeyPair;
  /** What will be served with when everybody trusts its authority (`next.crt`, `next.key`). */
  readonly next?: KeyPair;
  /** Certificates of the authorities to trust, newest first, PEM (`ca.crt`). */
  readonly authorities: readonly string[];
}

type Data = Readonly<Record<string, string>>;

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8');
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** Reads the `data` of a Secret. What is not there or no PEM is left out. */
export function readStored(data: Data = {}): StoredCertificate {
  const blocks = pemBlocks(decode(data['ca.crt'])).filter(({ type }) => type === 'CERTIFICATE');
  const current = pairIn(data, 'tls');
  const next = pairIn(data, 'next');
  return {
    ...(current ? { current } : {}),
    ...(next ? { next } : {}),
    authorities: blocks.map(({ bytes }) => pem('CERTIFICATE', bytes)),
  };
}

function pairIn(data: Data, name: string): KeyPair | undefined {
  const [cert, key] = [decode(data[`${name}.crt`]), decode(data[`${name}.key`])];
  return cert === '' || key === '' ? undefined : { cert, key };
}

/** The `data` of the Secret; other entries of `before` stay. */
export function dataOf({ current, next, authorities }: StoredCertificate, before: Data = {}): Data {
  const { 'next.crt': _cert, 'next.key': _key, ...rest } = before;
  return {
    ...rest,
    'ca.crt': encode(authorities.join('')),
    ...(current ? { 'tls.crt': encode(current.cert), 'tls.key': encode(current.key) } : {}),
    ...(next ? { 'next.crt': encode(next.cert), 'next.key': encode(next.key) } : {}),
  };
}

/** Whether a server that is called `names` can serve with this pair now, for those who trust `authorities`. */
export function isUsable(
  pair: KeyPair,
  authorities: readonly string[],
  names: readonly string[],
  now: number,
): boolean {
  try {
    const certificate = new X509Certificate(pair.cert);
    const good = certificate.checkPrivateKey(createPrivateKey(pair.key)) && isInTime(certificate, now);
    const answers = (name: string) =>
      (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
    return good && names.every(answers) && authorities.some((authority) => signed(authority, certificate, now));
  } catch {
    return false;
  }
}

/** Those of the certificates (PEM) that are good for some time yet. */
export function unexpired(certificates: readonly string[], now: number): readonly string[] {
  return certificates.filter((text) => {
    try {
      return isInTime(new X509Certificate(text), now);
    } catch {
      return false;
    }
  });
}

/** When a certificate (PEM) ends, in milliseconds since the epoch. */
export function endOf(cert: string): number {
  return new X509Certificate(cert).validToDate.getTime();
}

function signed(authority: string, certificate: X509Certificate, now: number): boolean {
  const issuer = new X509Certificate(authority);
  return isInTime(issuer, now) && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

/** Its beginning does not count: a machine whose clock is behind would make one new certificate after the other. */
function isInTime(certificate: X509Certificate, now: number): boolean {
  return now < certificate.validToDate.getTime();
}
