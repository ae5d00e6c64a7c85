import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { type DerElement, DerError, derElements, dottedIdentifier, readDer } from './read-der.ts';

/** A PKCS#10 request (RFC 2986), as far as a server looks into it. */
export interface SigningRequest {
  readonly publicKey: KeyObject;
  /** The whole subject, DER. */
  readonly subject: Uint8Array;
  /** The name (`CN`) of the subject: the user asked for; empty when it has none. */
  readonly commonName: string;
  /** The organizations (`O`) of the subject: the groups asked for. */
  readonly organizations: readonly string[];
  /** Other names asked for. */
  readonly names: AlternativeNames;
  /** Why the signature is not good; `undefined` when it is. */
  readonly signatureError: string | undefined;
}

/** The other names of a request: how many there are of each sort, and all of them as a certificate has them. */
export interface AlternativeNames {
  readonly dns: number;
  readonly ip: number;
  readonly email: number;
  readonly uri: number;
  /** Value of the subjectAltName extension, DER; absent when there is none. */
  readonly der?: Uint8Array;
}

interface Algorithm {
  readonly family: 'ECDSA' | 'RSA' | 'RSA-PSS' | 'Ed25519';
  readonly hash: string | null;
}

const algorithms: Readonly<Record<string, Algorithm>> = {
  '1.2.840.10045.4.3.2': { family: 'ECDSA', hash: 'sha256' },
  '1.2.840.10045.4.3.3': { family: 'ECDSA', hash: 'sha384' },
  '1.2.840.10045.4.3.4': { family: 'ECDSA', hash: 'sha512' },
  '1.2.840.113549.1.1.11': { family: 'RSA', hash: 'sha256' },
  '1.2.840.113549.1.1.12': { family: 'RSA', hash: 'sha384' },
  '1.2.840.113549.1.1.13': { family: 'RSA', hash: 'sha512' },
  '1.2.840.113549.1.1.10': { family: 'RSA-PSS', hash: 'sha256' },
  '1.3.101.112': { family: 'Ed25519', hash: null },
};

const failures: Readonly<Record<Algorithm['family'], string>> = {
  ECDSA: 'x509: ECDSA verification failure',
  RSA: 'crypto/rsa: verification error',
  'RSA-PSS': 'crypto/rsa: verification error',
  Ed25519: 'x509: Ed25519 verification failure',
};

const organizationName = '2.5.4.10';
const commonName = '2.5.4.3';
const extensionRequest = '1.2.840.113549.1.9.14';
const subjectAltName = '2.5.29.17';

/** Extensions asked for, by their identifier: the content of their value. */
function extensionsIn(attributes: DerElement | undefined): ReadonlyMap<string, Uint8Array> {
  const found = new Map<string, Uint8Array>();
  for (const attribute of attributes ? derElements(attributes.content) : []) {
    const [type, values] = derElements(attribute.content);
    if (!type || !values || dottedIdentifier(type.content) !== extensionRequest) continue;
    for (const list of derElements(values.content))
      for (const extension of derElements(list.content)) {
        // between the identifier and the value there may be whether it is critical
        const [id, ...rest] = derElements(extension.content);
        const value = rest.at(-1);
        if (id && value) found.set(dottedIdentifier(id.content), value.content);
      }
  }
  return found;
}

function alternativeNamesIn(der: Uint8Array | undefined): AlternativeNames {
  const tags = der ? derElements(readDer(der).content).map(({ tag }) => tag) : [];
  const count = (tag: number) => tags.filter((one) => one === tag).length;
  return { dns: count(0x82), ip: count(0x87), email: count(0x81), uri: count(0x86), ...(der ? { der } : {}) };
}

function namesIn(subject: DerElement, wanted: string): readonly string[] {
  const names: string[] = [];
  for (const part of derElements(subject.content)) {
    for (const attribute of derElements(part.content)) {
      const [type, value] = derElements(attribute.content);
      if (type && value && dottedIdentifier(type.content) === wanted) {
        names.push(Buffer.from(value.content).toString('utf8'));
      }
    }
  }
  return names;
}

function signatureErrorOf(
  info: DerElement,
  algorithmIdentifier: DerElement,
  signature: DerElement,
  key: KeyObject,
): string | undefined {
  const [identifier] = derElements(algorithmIdentifier.content);
  const algorithm = identifier && algorithms[dottedIdentifier(identifier.content)];
  if (!algorithm) return 'x509: cannot verify signature: algorithm unimplemented';
  const padding = algorithm.family === 'RSA-PSS' ? constants.RSA_PKCS1_PSS_PADDING : undefined;
  const options = padding === undefined ? { key } : { key, padding, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  try {
    // The first byte of a bit string counts the bits at its end that are not used.
    const good = verify(algorithm.hash, info.whole, options, signature.content.subarray(1));
    return good ? undefined : failures[algorithm.family];
  } catch {
    return failures[algorithm.family];
  }
}

function requestOf(der: Uint8Array): SigningRequest {
  const [info, algorithm, signature] = derElements(readDer(der).content);
  if (!info || !algorithm || !signature) throw new DerError('syntax error: sequence truncated');
  const [, subject, keyInfo, attributes] = derElements(info.content);
  if (!subject || !keyInfo) throw new DerError('syntax error: sequence truncated');
  const publicKey = createPublicKey({ key: Buffer.from(keyInfo.whole), format: 'der', type: 'spki' });
  return {
    publicKey,
    subject: subject.whole,
    commonName: namesIn(subject, commonName).at(-1) ?? '',
    organizations: namesIn(subject, organizationName),
    names: alternativeNamesIn(extensionsIn(attributes).get(subjectAltName)),
    signatureError: signatureErrorOf(info, algorithm, signature, publicKey),
  };
}

/** Reads a PKCS#10 request. @throws DerError when it is none, or of a key that is not understood */
export function parseCertificateRequest(der: Uint8Array): SigningRequest {
  try {
    return requestOf(der);
  } catch (error) {
    if (error instanceof DerError) throw error;
    throw new DerError('structure error: not a public key that is understood');
  }
}
