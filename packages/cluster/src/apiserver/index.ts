/**
 * The API server without a wire: REST verbs over a store. It turns requests into answers by the rules of the kinds in its
 * registry. It must not know which kinds there are, how bytes travel, or who runs it; all that is handed in.
 *
 *   request ─► routes (discovery, health …)
 *           └► request/ path, verb, options ─► rest/ decode ─► admit ─► rules of the kind ─► validate ─► storage
 *                                              rest/ read, list, watch ◄─ select/ ◄────────────────────── storage
 *                                              subresources/ (binding, eviction …)
 */
export { itemKind } from './item-kind.ts';
export { listText, textBeginning } from './list-text.ts';
export {
  type Command,
  type CommandRequest,
  type ContainerReference,
  type ContainerUsage,
  type LogOptions,
  type NodeConnection,
  type NodeConnections,
  NodeRefusal,
  type PodReference,
} from './nodes.ts';
export { parseResourcePath, type ResourcePath } from './request/path.ts';
export { type Verb, verbOf } from './request/verb.ts';
export { labelErrors, pathSegmentErrors, subdomainErrors } from './rest/names.ts';
export { type ApiServerOptions, createApiServer } from './server.ts';
export type * from './streams.ts';
export { builtinForms, builtinSubresources } from './subresources/index.ts';
export type * from './types.ts';
