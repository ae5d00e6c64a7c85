import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, fill } from '../shared/draft.ts';

/** Fills the spec of a PersistentVolumeClaim, also inside templates. */
export function defaultClaimSpec(spec: MutableJson): void {
  fill(spec, 'volumeMode', 'Filesystem');
  ensureObject(spec, 'resources');
}
