import { apiVersionOf, type Kind, type KubeObject, type OwnerReference } from '@coxswain/k8s';
import { keyOf } from '../core/index.ts';
import { describeOwner, OwnershipError } from './errors.ts';

/** The reference by which `owner` controls its children: they go when it goes, and hold it back in foreground deletion. */
export function controllerReference(kind: Kind, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** An object as an owner, with its kind. */
export interface Owner {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/**
 * Checks that `owner` may control the child.
 * @param existing the child as it is, when it is there
 * @throws OwnershipError naming what is in the way
 */
export function checkOwnership(owner: Owner, kind: Kind, child: KubeObject, existing: KubeObject | undefined): void {
  const key = keyOf(child);
  const { namespace, uid } = owner.object.metadata;
  if (!uid) throw new OwnershipError(kind, key, 'the owner has no uid, so it was not read from a server');
  if (namespace && namespace !== child.metadata.namespace) {
    const where = child.metadata.namespace ? `in namespace ${child.metadata.namespace}` : 'cluster-scoped';
    throw new OwnershipError(
      kind,
      key,
      `its owner is in namespace ${namespace} and it is ${where}; use { owned: false } and clean it up in finalize`,
    );
  }
  const other = existing?.metadata.ownerReferences?.find((ref) => ref.controller && ref.uid !== uid);
  if (other) throw new OwnershipError(kind, key, describeOwner(other));
}
