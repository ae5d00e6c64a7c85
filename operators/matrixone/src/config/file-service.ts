import { canonicalQuantity } from '@coxswain/runtime/core';
import {
  PATH_DATA,
  PATH_DISK_CACHE,
  PATH_S3_CERTIFICATES,
  type S3Storage,
  type SharedStorage,
  type StorageCache,
} from '../api/index.ts';
import { mergeDeep, type TomlTable } from '../toml/index.ts';

const DEFAULT_ENDPOINT = 's3.us-west-2.amazonaws.com';
/** Log stores and proxies keep no cache, which the engine spells as one byte. */
const NO_CACHE: TomlTable = { 'memory-capacity': '1B' };

/** `backend` by S3 type; other types have none, and MatrixOne decides (`matrixone-recorded.md`, point 1). */
const backends: ReadonlyMap<string, string> = new Map([
  ['aws', 'S3'],
  ['minio', 'MINIO'],
]);

const withoutSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');

/** Bucket and prefix of an S3 path; slashes at either end of the one and of the other do not count. */
export function splitS3Path(path: string): { readonly bucket: string; readonly prefix: string } {
  const trimmed = withoutSlashes(path);
  const slash = trimmed.indexOf('/');
  return slash < 0
    ? { bucket: trimmed, prefix: '' }
    : { bucket: trimmed.slice(0, slash), prefix: withoutSlashes(trimmed.slice(slash + 1)) };
}

function s3Entry(name: string, storage: S3Storage, folder: string, cache: TomlTable | undefined): TomlTable {
  const { bucket, prefix } = splitS3Path(storage.path);
  const table: TomlTable = {
    bucket,
    endpoint: storage.endpoint || DEFAULT_ENDPOINT,
    'key-prefix': prefix === '' ? folder : `${prefix}/${folder}`,
  };
  const certificates = storage.certificateRef?.files ?? [];
  if (storage.certificateRef) table['cert-files'] = certificates.map((file) => `${PATH_S3_CERTIFICATES}/${file}`);
  const backend = backends.get(storage.type ?? 'aws');
  return { name, ...(backend ? { backend } : {}), ...(cache ? { cache } : {}), s3: table };
}

function sharedEntry(name: string, storage: SharedStorage, folder: string, cache: TomlTable | undefined): TomlTable[] {
  if (storage.s3) return [s3Entry(name, storage.s3, folder, cache)];
  const path = storage.fileSystem?.path;
  if (path === undefined) return [];
  const backend = name === 'ETL' ? 'DISK-ETL' : 'DISK';
  return [{ name, backend, 'data-dir': path, ...(cache ? { cache } : {}) }];
}

/** The `[fileservice.cache]` of a compute or transaction node; none when no size is known. */
function cacheTable(cache: StorageCache): TomlTable | undefined {
  const table: TomlTable = {};
  if (cache.memoryCacheSize !== undefined) table['memory-capacity'] = `${canonicalQuantity(cache.memoryCacheSize)}B`;
  if (cache.diskCacheSize !== undefined) {
    table['disk-capacity'] = `${canonicalQuantity(cache.diskCacheSize)}B`;
    table['disk-path'] = PATH_DISK_CACHE;
  }
  return Object.keys(table).length === 0 ? undefined : table;
}

/**
 * Lays the file-service block over a role's configuration: the local disk, the shared storage and the ETL area.
 * `cache` is absent for roles that keep none. Without a storage the user's configuration says where the data is.
 */
export function withFileServices(config: TomlTable, storage: SharedStorage, cache?: StorageCache): TomlTable {
  const shared = cache === undefined ? NO_CACHE : cacheTable(cache);
  return mergeDeep(config, {
    'data-dir': PATH_DATA,
    fileservice: [
      { name: 'LOCAL', backend: 'DISK', 'data-dir': PATH_DATA },
      ...sharedEntry('S3', storage, 'data', shared),
      ...sharedEntry('ETL', storage, 'etl', NO_CACHE),
    ],
  });
}

/** The only file service of a log store that restores HAKeeper from a backup. */
export function withBackupFileService(config: TomlTable, storage: SharedStorage): TomlTable {
  const [entry] = sharedEntry('BACKUP', storage, '', NO_CACHE);
  return mergeDeep(config, { 'data-dir': PATH_DATA, fileservice: entry ? [entry] : [] });
}
