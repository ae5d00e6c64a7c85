/**
 * The built-in kinds: what is served, how each fills its defaults, what it refuses, what it may not change.
 * Knows objects and storage; nothing of HTTP, requests, patches or watches.
 */
export { createRegistry } from './registry.ts';
export { builtinResources, definitionName } from './resources.ts';
export { serviceRangeOf, storedServiceRange } from './service/address-range.ts';
