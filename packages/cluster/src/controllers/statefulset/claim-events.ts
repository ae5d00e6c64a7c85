import type { KubeObject, PersistentVolumeClaim } from '@coxswain/k8s';
import { keyOf, type ObjectKey } from '@coxswain/runtime/core';
import { ordinalOf } from './model.ts';

interface WithClaims extends KubeObject {
  readonly spec?: { readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] };
}

/** The stateful sets that would make a claim of this name. */
export function* setsOfClaim(claim: PersistentVolumeClaim, sets: Iterable<WithClaims>): Iterable<ObjectKey> {
  for (const set of sets)
    for (const template of set.spec?.volumeClaimTemplates ?? [])
      if (ordinalOf(`${template.metadata.name}-${set.metadata.name}`, claim.metadata.name) !== undefined)
        yield keyOf(set);
}
