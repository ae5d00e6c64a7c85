/**
 * What we know of the server's objects without asking: informers keep stores equal to the server and take our own writes
 * as soon as they are answered. Knows the client; nothing of queues or controllers.
 */
export { type AppliedFields, appliedFields, type FieldsNode } from './applied-fields.ts';
export { type CacheOptions, createCache, type OwnWriteSink } from './cache.ts';
export { checkScope } from './check-scope.ts';
export type { InformerCounts } from './health.ts';
export { builtInIndexes } from './indexer.ts';
export { kindId } from './kind-id.ts';
export { withReadYourWrites } from './read-your-writes.ts';
export { refusalOf } from './refusal-of.ts';
export { compareVersions, isOrdered } from './resource-version.ts';
export type { Cache, Informer, InformerScope, InformerState, InformerUse, Store, StoreEvent } from './types.ts';
export { Watcher, type WatcherOptions, type WatchSink } from './watcher.ts';
