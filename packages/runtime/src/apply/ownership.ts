import { apiVersionOf, type Kind, type KubeObject, type OwnerReference } from '@coxswain/k8s';
import { type Client, findSame } from '../client/index.ts';
import { conflict, keyOf } from '../core/index.ts';
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
 * Why no owner reference can reach from `owner` to a child of this kind and namespace: the garbage collector would delete it
 * at once, or look for it in the wrong place. `undefined` when one can.
 */
export function ownershipObstacle(owner: KubeObject, kind: Kind, child: KubeObject): string | undefined {
  const { namespace } = child.metadata;
  if (kind.scope === 'Cluster' && namespace) {
    return `a ${kind.kind} is in no namespace, and it says ${namespace}; leave its metadata.namespace out`;
  }
  if (kind.scope === 'Namespaced' && !namespace) {
    const which = owner.metadata.namespace
      ? `that of its owner, ${owner.metadata.namespace}`
      : 'the one it shall be in';
    return `it says no namespace; give it metadata.namespace: ${which}`;
  }
  if (!owner.metadata.namespace || owner.metadata.namespace === namespace) return undefined;
  const where = namespace ? `in namespace ${namespace}` : 'cluster-scoped';
  return (
    `its owner is in namespace ${owner.metadata.namespace} and it is ${where}, which no owner reference reaches; ` +
    'apply it with `context.apply(kind, object, { owned: false })` in an actor of your own, and delete it in `finalize`'
  );
}

/**
 * Checks that `owner` may control the child.
 * @param existing the child as it is, when it is there
 * @throws OwnershipError naming what is in the way
 */
export function checkOwnership(owner: Owner, kind: Kind, child: KubeObject, existing: KubeObject | undefined): void {
  const key = keyOf(child);
  const { uid } = owner.object.metadata;
  if (!uid) throw new OwnershipError(kind, key, 'the owner has no uid, so it was not read from a server');
  const obstacle = ownershipObstacle(owner.object, kind, child);
  if (obstacle) throw new OwnershipError(kind, key, obstacle);
  const other = existing?.metadata.ownerReferences?.find((ref) => ref.controller && ref.uid !== uid);
  if (other) throw new OwnershipError(kind, key, describeOwner(other));
}

/**
 * Checks that the server knows the owner as it is known here, as one that stays. An owner on its way out may have let a child go so that it outlives
 * it: whoever has not heard of that would hand it to the garbage collector.
 * @throws ApiError Conflict
 */
export async function checkOwner(client: Client, { kind, object }: Owner, signal?: AbortSignal): Promise<void> {
  const now = await findSame(client, kind, object, signal);
  if (now && now.metadata.deletionTimestamp === object.metadata.deletionTimestamp) return;
  const why = 'it goes, or is gone, which is not known here yet; nothing is taken or made for it';
  throw conflict(kind, object.metadata.name, why);
}
