import { deepEqual } from '@coxswain/runtime/core';
import type { VolumeContent } from '../runtime.ts';

/** Whether a volume need not be set again. */
export function sameContent(a: VolumeContent, b: VolumeContent): boolean {
  if (a === b) return true;
  if (a.kind !== 'files' || b.kind !== 'files') return deepEqual(a, b);
  if (a.files.size !== b.files.size) return false;
  for (const [path, { bytes, mode }] of a.files) {
    const other = b.files.get(path);
    if (!other || other.mode !== mode || Buffer.compare(other.bytes, bytes) !== 0) return false;
  }
  return true;
}
