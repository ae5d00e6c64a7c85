/**
 * The operator framework: all rooms through one door. Each room is a subpath too (`@coxswain/runtime/client` …), which
 * loads only what that room needs. What a room exports is listed by hand in its own index.
 */
export * from './actor/index.ts';
export * from './apply/index.ts';
export * from './cache/index.ts';
export * from './client/index.ts';
export * from './controller/index.ts';
export * from './core/index.ts';
export * from './election/index.ts';
export * from './events/index.ts';
export * from './manager/index.ts';
export * from './manifests/index.ts';
export * from './metrics/index.ts';
export * from './pki/index.ts';
export * from './queue/index.ts';
export * from './serving/index.ts';
export * from './sharding/index.ts';
export * from './tracing/index.ts';
export * from './webhook/index.ts';
