/**
 * Kubernetes' own kinds, as types and as `Kind` values. No runtime weight beyond the values themselves.
 * Knows nothing of clients, servers or schemas.
 */
export * from './generated/kinds.ts';
export { apiVersionOf, type Kind, type ObjectOf, parseApiVersion, pathOf, resourceName, sameResource } from './kind.ts';
export type {
  Condition,
  DynamicObject,
  Json,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  MutableJson,
  ObjectMeta,
  OwnerReference,
  Status,
  StatusCause,
  StatusDetails,
  Writable,
} from './object.ts';
