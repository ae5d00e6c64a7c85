import { type Kind, type KubeObject, type OwnerReference, parseApiVersion } from '@coxswain/k8s';
import type { ObjectKey } from '../core/index.ts';

/** The controlling owner of an object. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

/** The key of the controlling owner when it is of `kind`, in whatever version it was written. */
export function ownerKey(object: KubeObject, kind: Kind): ObjectKey | undefined {
  const owner = controllerOf(object);
  if (!owner || owner.kind !== kind.kind || parseApiVersion(owner.apiVersion).group !== kind.group) return undefined;
  const { namespace } = object.metadata;
  return kind.scope === 'Namespaced' && namespace ? { namespace, name: owner.name } : { name: owner.name };
}
