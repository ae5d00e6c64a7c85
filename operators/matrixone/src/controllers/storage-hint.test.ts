import { expect, test } from 'vitest';
import type { S3Storage } from '../api/index.ts';
import { storageHint } from './storage-hint.ts';

test.each<[S3Storage, string]>([
  [{ path: 'lake/prod' }, 'S3 path lake/prod'],
  [{ path: 'lake/prod', endpoint: 'https://minio:9000' }, 'S3 path lake/prod at https://minio:9000'],
  [
    { path: 'lake', endpoint: 'minio:9000', secretRef: { name: 'keys' }, certificateRef: { name: 'ca', files: [] } },
    'S3 path lake at minio:9000 with the keys of Secret keys and the certificates of Secret ca',
  ],
  [{ path: 'lake', certificateRef: { name: 'ca', files: [] } }, 'S3 path lake with the certificates of Secret ca'],
])('it names the place, and the Secrets that lead to it: %o', (s3, told) => {
  expect(storageHint(s3)).toBe(`its log says whether it is its object storage: ${told}`);
});

test.each(['http://me:hunter2@minio:9000', 'me:hunter2@minio:9000'])(
  'passwords in addresses stay there: %s',
  (endpoint) => {
    expect(storageHint({ path: 'lake', endpoint })).toMatch(/ at (http:\/\/)?minio:9000$/);
  },
);
