import type { DynamicObject, MutableJson } from '@coxswain/k8s';
import { ensureObject, fill, fillZero, given, objectAt, objectsAt, textAt } from '../shared/draft.ts';

/** What a write of the status cannot take away, though it may change it. */
const lasting = ['resourceClaimStatuses', 'extendedResourceClaimStatus', 'nodeAllocatableResourceClaimStatuses'];

/** Generations that conditions were seen at stay, for the first of each type, then the second and so on. */
function keepGenerations(status: MutableJson, before: MutableJson | undefined): void {
  const known = new Map<string, unknown[]>();
  for (const condition of objectsAt(before, 'conditions')) {
    const type = textAt(condition, 'type');
    known.set(type, [...(known.get(type) ?? []), condition.observedGeneration]);
  }
  for (const condition of objectsAt(status, 'conditions')) {
    const generation = known.get(textAt(condition, 'type'))?.shift();
    if (given(generation)) fillZero(condition, 'observedGeneration', generation);
  }
}

/** Puts back what clients that know only a part of a pod's status would drop, and the owners, which they have spoilt before. */
export function keepOfStatus(draft: MutableJson, old: DynamicObject): void {
  const metadata = ensureObject(draft, 'metadata');
  const { ownerReferences } = old.metadata;
  if (ownerReferences === undefined) delete metadata.ownerReferences;
  else metadata.ownerReferences = ownerReferences;
  const before = objectAt(old, 'status');
  const status = ensureObject(draft, 'status');
  if (given(before?.qosClass)) fillZero(status, 'qosClass', before?.qosClass);
  if (given(before?.observedGeneration)) fillZero(status, 'observedGeneration', before?.observedGeneration);
  for (const key of lasting) if (given(before?.[key])) fill(status, key, before?.[key]);
  keepGenerations(status, before);
}
