import { posix } from 'node:path';
import type { S3Storage } from '../api/index.ts';

/** Where the objects of an S3 path are: two paths of the same place, or one inside of the other, share data. */
export interface BucketPlace {
  /** The server. What may be the same server under two names has one here. */
  readonly server: string;
  readonly bucket: string;
  /** What the keys of all objects begin with: empty, or ends with a slash. As MatrixOne makes it: `a//b/../c` is `a/c/`. */
  readonly prefix: string;
}

type Path = Pick<S3Storage, 'endpoint' | 'path'>;

/** Scheme, default port, spelling and the tail of names within Kubernetes make no other server; and Amazon's are one. */
function serverOf(endpoint: string | undefined): string {
  const text = (endpoint ?? '').trim().toLowerCase();
  if (text === '') return 'aws';
  const url = URL.parse(text.includes('//') ? text.replace(/^\/\//, 'https://') : `https://${text}`);
  const host = url?.hostname.replace(/\.$/, '');
  // What is no address is a name of its own.
  if (!url || !host) return text;
  if (/(^|\.)amazonaws\.com(\.cn)?$/.test(host)) return 'aws';
  const name = host.replace(/\.svc(\.cluster\.local)?$/, '');
  return url.port === '' ? name : `${name}:${url.port}`;
}

/** The place that an S3 path names. Its type does not count: it says how to speak to the server, not which one it is. */
export function bucketPlace({ endpoint, path }: Path): BucketPlace {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  const slash = trimmed.indexOf('/');
  const bucket = slash < 0 ? trimmed : trimmed.slice(0, slash);
  const normal = slash < 0 ? '.' : posix.normalize(trimmed.slice(slash + 1));
  return { server: serverOf(endpoint), bucket, prefix: normal === '.' ? '' : `${normal.replace(/\/+$/, '')}/` };
}

/** For comparisons: a key may begin with a slash, which is easily overlooked. */
function comparable({ prefix }: BucketPlace): string {
  return prefix.replace(/^\/+/, '');
}

function inOneBucket(a: BucketPlace, b: BucketPlace): boolean {
  return a.server === b.server && a.bucket === b.bucket;
}

export function isSamePlace(a: BucketPlace, b: BucketPlace): boolean {
  return inOneBucket(a, b) && comparable(a) === comparable(b);
}

/** Whether objects may belong to both: the same place, or one inside of the other. */
export function placesOverlap(a: BucketPlace, b: BucketPlace): boolean {
  const [one, other] = [comparable(a), comparable(b)];
  return inOneBucket(a, b) && (one.startsWith(other) || other.startsWith(one));
}
