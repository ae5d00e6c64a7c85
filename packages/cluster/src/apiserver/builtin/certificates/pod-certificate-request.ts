import { constants, createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { DerError, parseCertificateRequest } from '@coxswain/runtime/pki';
import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { mapAt, numberAt, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { dnsSubdomain, qualifiedName } from '../shared/names.ts';
import { restoreMetadata, statusOnlyResets } from '../shared/status-write.ts';
import { formatErrors, unchanged } from '../shared/values.ts';
import { checkSignerName, isKubernetesSigner } from './signer-name.ts';

const day = 24 * 3600;
const shortest = 3600;
const largestPart = 10 * 1024;
const largestAnnotations = 256 * 1024;
const keyTexts = {
  unknown: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA',
  modulus: 'RSA keys must have modulus size 3072 or 4096',
} as const;

/** An error whose value is not shown. */
function unshown(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` };
}

function annotationErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const field = 'spec.unverifiedUserAnnotations';
  const annotations = mapAt(spec, 'unverifiedUserAnnotations');
  const errors = Object.keys(annotations).flatMap((given) => {
    const key = given.toLowerCase();
    const texts = qualifiedName(key);
    if (texts.length > 0) return texts.map((text) => invalidValue(field, key, text));
    if (key.includes('/')) return [];
    return [invalidValue(field, key, 'must be a domain-prefixed key (such as "acme.io/foo")')];
  });
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return size > largestAnnotations ? [...errors, tooLong(field, largestAnnotations)] : errors;
}

function referenceErrors(spec: ReadJson | undefined): readonly FieldError[] {
  return ['pod', 'serviceAccount', 'node'].flatMap((what) => {
    const [name, uid] = [textAt(spec, `${what}Name`), textAt(spec, `${what}UID`)];
    const errors = [...formatErrors(name, `spec.${what}Name`, dnsSubdomain)];
    if (uid === '') errors.push(invalidValue(`spec.${what}UID`, uid, 'must not be empty'));
    if (uid.length > 128) errors.push(tooLong(`spec.${what}UID`, 128));
    return errors;
  });
}

function expirationError(spec: ReadJson | undefined): FieldError | undefined {
  const seconds = numberAt(spec, 'maxExpirationSeconds') ?? 0;
  const longest = isKubernetesSigner(textAt(spec, 'signerName')) ? day : 91 * day;
  if (seconds >= shortest && seconds <= longest) return undefined;
  return invalidValue('spec.maxExpirationSeconds', seconds, `must be in the range [${shortest}, ${longest}]`);
}

function keyError(key: KeyObject, field: string): FieldError | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return undefined;
  if (type === 'ec') {
    const curve = details?.namedCurve ?? '';
    const known = ['prime256v1', 'secp384r1', 'secp521r1'].includes(curve);
    return known
      ? undefined
      : invalidValue(field, `curve ${curve}`, 'elliptic public keys must use curve P256, P384, or P521');
  }
  if (type !== 'rsa') return unshown(field, keyTexts.unknown);
  const bits = details?.modulusLength ?? 0;
  return bits === 3072 || bits === 4096 ? undefined : invalidValue(field, `${bits}-bit modulus`, keyTexts.modulus);
}

function stubErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const field = 'spec.stubPKCS10Request';
  const der = Buffer.from(textAt(spec, 'stubPKCS10Request'), 'base64');
  if (der.length > largestPart) return [tooLong(field, largestPart)];
  try {
    const { publicKey, signatureError } = parseCertificateRequest(der);
    const error = keyError(publicKey, field);
    if (error) return [error];
    return signatureError === undefined ? [] : [unshown(field, 'invalid signature')];
  } catch (error) {
    if (error instanceof DerError) return [unshown(field, 'must be a valid PKCS#10 CSR')];
    throw error;
  }
}

/** Whether the key signed the pod's UID. */
function provesPossession(key: KeyObject, uid: string, proof: Buffer): boolean {
  try {
    if (key.asymmetricKeyType === 'ed25519') return verify(null, Buffer.from(uid), key, proof);
    if (key.asymmetricKeyType === 'ec') return verify('sha256', Buffer.from(uid), key, proof);
    const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
    return verify('sha256', Buffer.from(uid), pss, proof);
  } catch {
    return false;
  }
}

function publicKeyErrors(spec: ReadJson | undefined): readonly FieldError[] {
  const [keyField, proofField] = ['spec.pkixPublicKey', 'spec.proofOfPossession'];
  const der = Buffer.from(textAt(spec, 'pkixPublicKey'), 'base64');
  const proof = Buffer.from(textAt(spec, 'proofOfPossession'), 'base64');
  if (der.length > largestPart) return [tooLong(keyField, largestPart)];
  if (proof.length > largestPart) return [tooLong(proofField, largestPart)];
  let key: KeyObject;
  try {
    key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    const text = 'must be a valid PKIX-serialized public key';
    return [invalidValue(keyField, textAt(spec, 'pkixPublicKey'), text)];
  }
  const error = keyError(key, keyField);
  if (error) return [error];
  const good = provesPossession(key, textAt(spec, 'podUID'), proof);
  return good ? [] : [unshown(proofField, 'could not verify proof-of-possession signature')];
}

/** The public key a certificate is asked for; `undefined` when it cannot be read. */
export function requestedKey(spec: ReadJson | undefined): KeyObject | undefined {
  const stub = textAt(spec, 'stubPKCS10Request');
  try {
    if (stub !== '') return parseCertificateRequest(Buffer.from(stub, 'base64')).publicKey;
    const der = Buffer.from(textAt(spec, 'pkixPublicKey'), 'base64');
    return createPublicKey({ key: der, format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
}

/** Same key: same DER. */
export function keyId(key: KeyObject): string {
  return createHash('sha256')
    .update(key.export({ format: 'der', type: 'spki' }))
    .digest('hex');
}

export const podCertificateRequestStrategy: Strategy = {
  resets: statusOnlyResets,
  prepareCreate: (draft) => {
    draft.status = {};
  },
  prepareUpdate(draft, old, { subresource }) {
    if (subresource === 'status') restoreMetadata(draft, old);
  },
  validateRules(object, old) {
    if (old) return [];
    const spec = objectAt(object, 'spec');
    const errors = [
      ...checkSignerName(textAt(spec, 'signerName'), 'spec.signerName'),
      ...annotationErrors(spec),
      ...referenceErrors(spec),
    ];
    if (numberAt(spec, 'maxExpirationSeconds') === undefined) {
      return [...errors, required('spec.maxExpirationSeconds', 'must be set')];
    }
    const expiration = expirationError(spec);
    if (expiration) errors.push(expiration);
    const has = (key: string) => textAt(spec, key) !== '';
    if (has('stubPKCS10Request') && !has('pkixPublicKey') && !has('proofOfPossession')) {
      return [...errors, ...stubErrors(spec)];
    }
    if (!has('stubPKCS10Request') && has('pkixPublicKey') && has('proofOfPossession')) {
      return [...errors, ...publicKeyErrors(spec)];
    }
    const text = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';
    return [...errors, unshown('spec', text)];
  },
  validateUpdate: (object, old) => unchanged(object.spec, old.spec, 'spec'),
};
