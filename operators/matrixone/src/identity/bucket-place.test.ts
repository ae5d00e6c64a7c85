import { expect, test } from 'vitest';
import { bucketPlace, isSamePlace, placesOverlap } from './bucket-place.ts';

const at = (path: string, endpoint?: string) => bucketPlace(endpoint === undefined ? { path } : { path, endpoint });

test.each([
  ['lake/prod', '/lake/prod/'],
  ['lake/prod', 'lake//prod'],
  ['lake/prod', 'lake/./x/../prod'],
  ['lake', 'lake/'],
])('%s and %s are one place', (a, b) => {
  expect(isSamePlace(at(a), at(b))).toBe(true);
});

test.each([
  ['http://minio.store:9000', 'http://MINIO.store:9000/'],
  ['http://minio.store:9000', 'minio.store.svc.cluster.local:9000'],
  ['http://minio.store:80', 'http://minio.store.svc'],
  [undefined, 'https://s3.eu-central-1.amazonaws.com'],
  ['', 's3.us-west-2.amazonaws.com'],
  ['http://minio.example.com', 'http://minio.example.com.'],
  [undefined, 'https://s3.amazonaws.com./'],
  ['http://[fd00::1]:9000', 'http://[FD00:0::1]:9000/'],
  ['http://user:password@minio:9000', 'minio:9000'],
])('%s and %s are one server', (a, b) => {
  expect(isSamePlace(at('lake', a), at('lake', b))).toBe(true);
});

test.each([
  ['lake/prod', 'lake/prod/a', true],
  ['lake', 'lake/prod', true],
  ['lake/prod', 'lake/prod2', false],
  ['lake/prod', 'sea/prod', false],
])('%s and %s overlap: %s', (a, b, overlap) => {
  expect(placesOverlap(at(a), at(b))).toBe(overlap);
  expect(placesOverlap(at(b), at(a))).toBe(overlap);
  expect(isSamePlace(at(a), at(b))).toBe(false);
});

test('other servers and ports are other places', () => {
  expect(placesOverlap(at('lake', 'http://a:9000'), at('lake', 'http://b:9000'))).toBe(false);
  expect(placesOverlap(at('lake', 'http://a:9000'), at('lake', 'http://a:9001'))).toBe(false);
  expect(placesOverlap(at('lake', 'http://a:443'), at('lake', 'http://a'))).toBe(false);
  expect(placesOverlap(at('lake', 'http://[fd00::1]:9000'), at('lake', 'http://[fd00::2]:9000'))).toBe(false);
  expect(placesOverlap(at('lake', 'what is this'), at('lake', 'what is that'))).toBe(false);
});

test('the prefix is that of the keys', () => {
  expect(at('/golden/s3-slashes/deep//er/').prefix).toBe('s3-slashes/deep/er/');
  expect(at('lake').prefix).toBe('');
  expect(at('lake//x').prefix).toBe('/x/');
});
