import { expect, test } from 'vitest';
import type { S3Storage } from '../api/index.ts';
import { storageHint } from './storage-hint.ts';

test.each<[S3Storage, string]>([
  [{ path: 'lake/prod' }, 'S3 path lake/prod, region us-west-2 (none is named)'],
  [
    { path: 'lake/prod', endpoint: 'https://minio:9000', region: 'eu-1' },
    'S3 path lake/prod at https://minio:9000, region eu-1',
  ],
  [
    { path: 'lake', endpoint: 'minio:9000', secretRef: { name: 'keys' }, certificateRef: { name: 'ca', files: [] } },
    'S3 path lake at minio:9000, region us-west-2 (none is named), with the keys of Secret keys and the certificates of Secret ca',
  ],
  [
    { path: 'lake', certificateRef: { name: 'ca', files: [] } },
    'S3 path lake, region us-west-2 (none is named), with the certificates of Secret ca',
  ],
])('it names the place, and the Secrets that lead to it: %o', (s3, told) => {
  expect(storageHint(s3)).toBe(`its log says whether it is its object storage: ${told}`);
});

test.each(['http://me:hunter2@minio:9000', 'me:hunter2@minio:9000'])(
  'passwords in addresses stay there: %s',
  (endpoint) => {
    expect(storageHint({ path: 'lake', endpoint })).toMatch(/ at (http:\/\/)?minio:9000, region/);
  },
);
