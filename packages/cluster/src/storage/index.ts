/**
 * storage: the objects of an embedded cluster, their recent past, and (with a data directory) their life after the process.
 * It orders commits and keeps revisions; it knows nothing of kinds, validation, selectors or HTTP.
 */
export { type DirLock, lockDirectory } from './dir-lock.ts';
export { DataDirError } from './errors.ts';
export { cachedJsonBytes, jsonBytes } from './json-bytes.ts';
export { makeDirectory } from './make-directory.ts';
export { openStorage } from './open-storage.ts';
export { type HistoryOptions, historyDefaults, type StorageOptions } from './options.ts';
export { isTooLarge } from './too-large.ts';
export type {
  Storage,
  StorageEvent,
  StorageKey,
  StoragePage,
  StorageScope,
  StorageSubscription,
  StoredObject,
} from './types.ts';
