import type { KubeObject, OwnerReference } from '@coxswain/k8s';

/** On an owner that is deleted in the foreground: it waits until its blocking dependents are gone. */
export const foregroundFinalizer = 'foregroundDeletion';
/** On an owner whose dependents are to stay: it waits until none of them refers to it any more. */
export const orphanFinalizer = 'orphan';

/** Index of monitors: objects by the uids of their owners. */
export const byOwner = 'garbage-collector/owner';
/** Index of monitors: objects by their own uid. */
export const byUid = 'garbage-collector/uid';

export function ownersOf(object: KubeObject): readonly OwnerReference[] {
  return object.metadata.ownerReferences ?? [];
}

export function hasFinalizer(object: KubeObject, finalizer: string): boolean {
  return object.metadata.finalizers?.includes(finalizer) ?? false;
}

export function isDeleting(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Whether the object waits for its dependents. */
export function waitsForDependents(object: KubeObject): boolean {
  return isDeleting(object) && hasFinalizer(object, foregroundFinalizer);
}

/** Whether the collector has anything to do with the object by itself. */
export function concernsCollector(object: KubeObject): boolean {
  if (!isDeleting(object)) return ownersOf(object).length > 0;
  return hasFinalizer(object, foregroundFinalizer) || hasFinalizer(object, orphanFinalizer);
}

/** Whether `dependent` holds up the deletion of the owner with this uid. */
export function blocks(dependent: KubeObject, uid: string | undefined): boolean {
  return ownersOf(dependent).some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
}
