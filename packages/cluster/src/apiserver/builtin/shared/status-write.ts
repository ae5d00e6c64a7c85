import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { copyJson } from './draft.ts';

/** Takes back what a write of the status changed in the metadata: kinds whose status endpoint changes nothing else. */
export function restoreMetadata(draft: MutableJson, old: DynamicObject): void {
  const { managedFields } = draft.metadata as MutableJson;
  const metadata = copyJson(old.metadata) as unknown as MutableJson;
  if (managedFields === undefined) delete metadata.managedFields;
  else metadata.managedFields = managedFields;
  draft.metadata = metadata;
}

/** Resets of the managed fields of kinds whose status endpoint changes nothing else. */
export const statusOnlyResets = { '': ['status'], status: ['spec', 'metadata'] } as const;
