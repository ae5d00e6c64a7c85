/** Volumes: claims get one, keep it while used, and give it back. */
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, VolumeAttributesClass } from '@coxswain/k8s';
import { keyOf, parseKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { ClaimBinder } from './binder.ts';
import {
  AttributesClassProtection,
  attributesClassesOf,
  byAttributesClass,
  ClaimProtection,
  claimsOf,
  podsByClaim,
} from './protection.ts';
import { VolumeReclaimer } from './reclaim.ts';

export { provisioner } from './binder.ts';
export { claimProtection } from './protection.ts';

function* unboundClaims(claims: Iterable<PersistentVolumeClaim>) {
  for (const claim of claims) if (claim.status?.phase !== 'Bound') yield keyOf(claim);
}

/** Adds the volume controllers to the control plane's manager. */
export function volumeControllers(manager: Manager): void {
  manager.cache.informer(Pod).addIndex(podsByClaim, claimsOf);
  manager.cache.informer(PersistentVolumeClaim).addIndex(byAttributesClass, attributesClassesOf);
  manager.cache.informer(PersistentVolume).addIndex(byAttributesClass, attributesClassesOf);
  manager
    .controller(PersistentVolumeClaim, 'persistentvolume-binder')
    .watches(PersistentVolume, {
      map: function* (volume, { cache }) {
        const reference = volume.spec?.claimRef;
        if (reference?.name) yield { namespace: reference.namespace ?? '', name: reference.name };
        else yield* unboundClaims(cache.store(PersistentVolumeClaim).list());
      },
    })
    .watches(StorageClass, { map: (_class, { cache }) => unboundClaims(cache.store(PersistentVolumeClaim).list()) })
    .options({ workers: 1 })
    .run(tolerant(new ClaimBinder()));
  manager
    .controller(PersistentVolume, 'persistentvolume-reclaimer')
    .watches(PersistentVolumeClaim, {
      map: (claim) => (claim.spec?.volumeName ? [{ name: claim.spec.volumeName }] : []),
    })
    .run(tolerant(new VolumeReclaimer()));
  manager
    .controller(PersistentVolumeClaim, 'pvc-protection')
    .watches(Pod, { map: (pod) => claimsOf(pod).map(parseKey) })
    .run(tolerant(new ClaimProtection()));
  // Who lets go of a class is seen as it changes: the class it named before counts too.
  const classes = (user: PersistentVolumeClaim | PersistentVolume) =>
    attributesClassesOf(user).map((name) => ({ name }));
  manager
    .controller(VolumeAttributesClass, 'vac-protection')
    .watches(PersistentVolumeClaim, { map: classes })
    .watches(PersistentVolume, { map: classes })
    .run(tolerant(new AttributesClassProtection()));
}
