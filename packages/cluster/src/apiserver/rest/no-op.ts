import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { deepEqual } from '@coxswain/runtime/core';
import { isObject, sameFields } from './clone.ts';
import { metadataOf } from './metadata.ts';

function sameEntries(a: unknown, b: unknown): boolean {
  const left = Array.isArray(a) ? a : [];
  const right = Array.isArray(b) ? b : [];
  return (
    left.length === right.length &&
    left.every((entry, index) => {
      const other: unknown = right[index];
      return isObject(entry) && isObject(other) ? sameFields(entry, other, ['time']) : deepEqual(entry, other);
    })
  );
}

/** Whether storing the draft would change nothing but its resourceVersion and the times of its managedFields. */
export function sameButTimes(draft: MutableJson, old: DynamicObject): boolean {
  const meta = metadataOf(draft);
  const before = old.metadata as unknown as MutableJson;
  return (
    sameFields(draft, old, ['metadata']) &&
    sameFields(meta, before, ['resourceVersion', 'managedFields']) &&
    sameEntries(meta.managedFields, before.managedFields)
  );
}
