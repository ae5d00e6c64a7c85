/**
 * The operator framework: all rooms through one door. Each is also a subpath (`@coxswain/runtime/client` …), which loads
 * nothing of the others that it does not use.
 */
export * from './cache/index.ts';
export * from './client/index.ts';
export * from './core/index.ts';
