import { type Kind, type OwnerReference, resourceName } from '@coxswain/k8s';
import { keyString, type ObjectKey } from '../core/index.ts';

/** A child cannot be owned: another object controls it already, or the garbage collector would not honour the owner. */
export class OwnershipError extends Error {
  constructor(kind: Kind, key: ObjectKey, why: string) {
    super(`cannot own ${resourceName(kind)} ${keyString(key)}: ${why}`);
    this.name = 'OwnershipError';
  }
}

/** How another owner is named in errors. */
export function describeOwner(owner: OwnerReference): string {
  return `it is controlled by ${owner.kind} "${owner.name}" (uid ${owner.uid}); delete it or choose another name`;
}
