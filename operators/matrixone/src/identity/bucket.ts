import { createHash } from 'node:crypto';
import type { S3Storage } from '../api/index.ts';
import { shortDigest } from './xxhash64.ts';

/** Value of the label that identifies an S3 path across namespaces: from the raw texts of the spec. */
export function bucketUniqueId(storage: Pick<S3Storage, 'type' | 'endpoint' | 'path'>): string {
  const text = `${storage.type ?? ''}-${storage.endpoint ?? ''}-${storage.path}`;
  return createHash('sha1').update(text).digest('hex');
}

/** Finalizer that a CNSet (`CN`) or DNSet (`DN`) puts on the claim of the bucket it uses. */
export function bucketUserFinalizer(role: 'CN' | 'DN', namespace: string, name: string): string {
  return `matrixorigin.io/${role}-${shortDigest(`${namespace}:${name}`)}`;
}
