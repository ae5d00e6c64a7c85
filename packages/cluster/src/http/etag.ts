import type { ApiResponse } from '../apiserver/types.ts';

/**
 * Whether an `If-None-Match` header names the answer's `ETag`, so that the client has the body already (RFC 9110 §13.1.2: a list
 * of tags or `*`, compared without regard to `W/`).
 */
export function isKnown(ifNoneMatch: string | undefined, answer: ApiResponse): boolean {
  if (ifNoneMatch === undefined || (answer.kind !== 'object' && answer.kind !== 'text')) return false;
  const etag = answer.headers?.ETag;
  if (etag === undefined || answer.code !== 200) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => bare(tag.trim()) === bare(etag));
}

const bare = (tag: string): string => tag.replace(/^W\//, '');
