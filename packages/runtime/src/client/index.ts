/**
 * Talks to one API server: typed and dynamic verbs over a transport. Always asks the server; what is remembered is the
 * cache's business. Objects are what the server sent, as they are: times are strings, nothing is converted.
 */
export {
  type Authorship,
  createAuthorship,
  deleteAuthorship,
  patchAuthorship,
  updateAuthorship,
} from './authorship.ts';
export { type ClientOptions, createClient, defaultTimeout } from './client.ts';
export type { Connection, CredentialSource, Credentials } from './connection.ts';
export { fileCredentials, mergedCredentials, staticCredentials } from './credentials.ts';
export { type DefaultConnectionOptions, defaultConnection } from './default-connection.ts';
export { applyAny, createDiscovery, type Discovery, type DiscoveryOptions, NoMatchError } from './discovery.ts';
export type { DiscoveredKind } from './discovery-documents.ts';
export { ConnectionError, isTransient, TransportClosed } from './errors.ts';
export { evict } from './eviction.ts';
export { findSame } from './find-same.ts';
export { type HttpTransportOptions, httpTransport } from './http-transport.ts';
export type { Impersonation } from './impersonation.ts';
export { type InClusterOptions, inClusterConnection } from './in-cluster.ts';
export { type Interceptor, interceptedTransport } from './interceptor.ts';
export { type KubeconfigOptions, loadKubeconfig } from './kubeconfig.ts';
export { initialEventsEnd, listEnd } from './list-end.ts';
export { type ClientMetricsOptions, clientMetrics } from './metrics.ts';
export { parseJson, stringifyJson } from './parse-json.ts';
export { apply, json, merge, patchContentType, strategic } from './patch.ts';
export { fieldSelectorText, labelSelectorText } from './query.ts';
export { isObject, ResourceVerbs } from './resource-verbs.ts';
export { responseError } from './response-error.ts';
export { requestToken, type ServiceAccountToken, type TokenSpec } from './service-account-token.ts';
export type {
  KeepManagedFields,
  Method,
  Transport,
  TransportRequest,
  TransportResponse,
  WatchEvent,
} from './transport.ts';
export type {
  CallOptions,
  Client,
  DeleteOptions,
  JsonPatchOperation,
  ListOptions,
  ParsingOptions,
  Patch,
  PatchOptions,
  Resource,
  Scale,
  ServerSideApplyOptions,
  Subresource,
  WatchOptions,
  WritableKind,
  WriteOptions,
} from './types.ts';
export { patchEffect, updateEffect, type WriteEffect } from './write-effect.ts';
