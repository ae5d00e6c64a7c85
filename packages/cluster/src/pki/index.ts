/**
 * pki: the keys a cluster needs, where they are kept, and what its API server is called. The certificates themselves are
 * made by `@coxswain/runtime/pki`.
 */
export { type ClusterKeys, type ClusterKeysOptions, KeysError, loadKeys } from './load-keys.ts';
export { serverNames } from './server-names.ts';
