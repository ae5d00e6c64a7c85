/**
 * pki: certificate authorities and what they sign, made here with `node:crypto` alone. It knows X.509 and its encodings;
 * nothing of files, requests or objects.
 */
export {
  type Authority,
  type AuthorityOptions,
  authorityProblem,
  type CertificateGrant,
  createAuthority,
  generateKey,
  issuedAt,
  type KeyPair,
  privatePem,
  type ServerCertificateOptions,
} from './authority.ts';
export { type KeyUses, pem, signCertificate } from './certificate.ts';
export { type AlternativeNames, parseCertificateRequest, type SigningRequest } from './certificate-request.ts';
/** Elements of DER, for what is not made here: requests in tests. */
export * as der from './der.ts';
export { type PemBlock, pemBlocks } from './pem-blocks.ts';
export { DerError } from './read-der.ts';
