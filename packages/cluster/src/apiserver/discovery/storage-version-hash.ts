import { createHash } from 'node:crypto';

/** Identifies the form in which a resource is stored, for storage migration: 8 bytes of SHA-256 over `group/version/kind`. */
export function storageVersionHash(group: string, version: string, kind: string): string {
  return createHash('sha256').update(`${group}/${version}/${kind}`).digest().subarray(0, 8).toString('base64');
}
