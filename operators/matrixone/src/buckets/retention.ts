import type { LogSetSpec } from '../api/index.ts';

/** What becomes of the data of a log service that is deleted: its bucket's policy, else that of its volumes, else `Delete`. */
export function bucketRetention(spec: Pick<LogSetSpec, 'pvcRetentionPolicy' | 'sharedStorage'>): 'Delete' | 'Retain' {
  const policy = spec.sharedStorage.s3?.s3RetentionPolicy ?? spec.pvcRetentionPolicy;
  return policy === 'Retain' ? 'Retain' : 'Delete';
}
