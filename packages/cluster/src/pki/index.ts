/**
 * pki: the certificate authority of a cluster and the keys it needs. It knows X.509 and files; nothing of requests or objects.
 */
export {
  type Authority,
  type AuthorityOptions,
  type CertificateGrant,
  createAuthority,
  generateKey,
  type KeyPair,
  privatePem,
  serverNames,
} from './authority.ts';
export type { KeyUses } from './certificate.ts';
export { type AlternativeNames, parseCertificateRequest, type SigningRequest } from './certificate-request.ts';
export { type ClusterKeys, type ClusterKeysOptions, KeysError, loadKeys } from './load-keys.ts';
export { type PemBlock, pemBlocks } from './pem-blocks.ts';
export { DerError } from './read-der.ts';
