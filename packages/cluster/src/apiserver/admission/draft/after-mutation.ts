import type { MutableJson } from '@coxswain/k8s';
import { deepEqual } from '@coxswain/runtime/core';
import { isObject } from '../../builtin/shared/draft.ts';
import { decodeClaims } from '../../fieldmanager/managers.ts';
import { repeated } from '../../request/repeated.ts';
import type { AdmissionAttributes } from '../../types.ts';

function dropDuplicateOwners(meta: MutableJson, warn: (text: string) => void): void {
  const owners: unknown = meta.ownerReferences;
  if (!Array.isArray(owners)) return;
  const again = repeated(owners);
  const uids = owners.filter((_, index) => again[index]).map((owner) => String(isObject(owner) ? owner.uid : ''));
  if (uids.length === 0) return;
  meta.ownerReferences = owners.filter((_, index) => !again[index]);
  const what =
    '.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, ';
  const advice = `and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids.join(', ')}`;
  warn(what + advice);
}

/** Webhooks from before managedFields garble them: then what was there before counts. */
function mendManagedFields(meta: MutableJson, before: unknown, warn: (text: string) => void): void {
  if (deepEqual(meta.managedFields, before)) return;
  try {
    decodeClaims(meta.managedFields);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const what =
      '.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating ';
    warn(`${what}admission controller; please fix your requests: ${why}`);
    if (before === undefined) delete meta.managedFields;
    else meta.managedFields = before;
  }
}

/** Puts the metadata of an object right after webhooks had it. `managedFields` is what it had before them. */
export function afterMutation({ object, warn }: AdmissionAttributes, managedFields: unknown): void {
  if (!isObject(object?.metadata)) return;
  dropDuplicateOwners(object.metadata, warn);
  mendManagedFields(object.metadata, managedFields, warn);
}
