/**
 * Volumes: claims get one, keep it while it is used, and give it back. The binder, the keeper of volumes and the protectors do what
 * kube-controller-manager does; the provisioner, the resizer and the modifier are what a storage driver brings along, and touch
 * its own volumes only.
 */
import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, VolumeAttributesClass } from '@coxswain/k8s';
import type { Cache } from '@coxswain/runtime/cache';
import { keyOf, type ObjectKey, parseKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { AttributesClassProtection, attributesClassesOf, byAttributesClass } from './attributes-protection.ts';
import { ClaimBinder } from './claim-binder.ts';
import { EphemeralClaims, hasEphemeral } from './ephemeral-claims.ts';
import { claimsOf, podsByClaim } from './pod-claims.ts';
import { ClaimProtection, VolumeProtection } from './protection.ts';
import { VolumeKeeper } from './volume-keeper.ts';
import { VolumeModifier } from './volume-modifier.ts';
import { VolumeProvisioner } from './volume-provisioner.ts';
import { VolumeResizer } from './volume-resizer.ts';

export { provisionedBy, provisioner, selectedNode } from './names.ts';
export { claimNameOf, isOwnClaim } from './pod-claims.ts';
export { claimProtection } from './protection.ts';

function* unboundClaims({ cache }: { readonly cache: Cache }): Iterable<ObjectKey> {
  for (const claim of cache.store(PersistentVolumeClaim).list())
    if (claim.status?.phase !== 'Bound') yield keyOf(claim);
}

/** The claim that a volume is for. */
function* claimOf({ spec }: PersistentVolume): Iterable<ObjectKey> {
  const { namespace = '', name } = spec?.claimRef ?? {};
  if (name) yield { namespace, name };
}

const claimsOfPod = (pod: Pod) => claimsOf(pod).map(parseKey);
const volumeOf = (claim: PersistentVolumeClaim) => (claim.spec?.volumeName ? [{ name: claim.spec.volumeName }] : []);

/** Adds the volume controllers to the control plane's manager. */
export function volumeControllers(manager: Manager): void {
  bindingControllers(manager);
  storageDriver(manager);
  protectionControllers(manager);
}

function bindingControllers(manager: Manager): void {
  const recorder = controllerRecorder(manager, 'persistentvolume-controller');
  manager
    .controller(PersistentVolumeClaim, 'persistentvolume-binder')
    .watches(PersistentVolume, {
      map: (volume, context) => (volume.spec?.claimRef ? claimOf(volume) : unboundClaims(context)),
    })
    .watches(StorageClass, { map: (_class, context) => unboundClaims(context) })
    .options({ workers: 1 })
    .run(tolerant(new ClaimBinder(recorder)));
  manager
    .controller(PersistentVolume, 'persistentvolume-keeper')
    .watches(PersistentVolumeClaim, {
      map: function* (claim, { cache }) {
        yield* volumeOf(claim);
        // A claim that is gone may have left more than the volume it was bound to.
        if (!cache.store(PersistentVolumeClaim).get(keyOf(claim)))
          for (const volume of cache.store(PersistentVolume).list())
            if (volume.spec?.claimRef?.uid === claim.metadata.uid) yield keyOf(volume);
      },
    })
    .run(tolerant(new VolumeKeeper(recorder)));
  manager
    .controller(Pod, 'ephemeral-volume')
    .where(({ object }) => hasEphemeral(object))
    .watches(PersistentVolumeClaim, {
      map: ({ metadata }) => {
        const owner = metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'Pod');
        return owner ? [{ namespace: metadata.namespace ?? '', name: owner.name }] : [];
      },
    })
    .run(tolerant(new EphemeralClaims(controllerRecorder(manager, 'ephemeral_volume'))));
}

/** Adds what a storage driver brings along: of use also where another control plane binds and protects. */
export function storageDriver(manager: Manager): void {
  manager.cache.informer(Pod).addIndex(podsByClaim, claimsOf);
  manager.cache.informer(PersistentVolumeClaim).addIndex(byAttributesClass, attributesClassesOf);
  const recorder = controllerRecorder(manager, 'coxswain.io/embedded');
  const waiting = (_class: StorageClass | VolumeAttributesClass, context: { readonly cache: Cache }) =>
    unboundClaims(context);
  manager
    .controller(PersistentVolumeClaim, 'volume-provisioner')
    .watches(StorageClass, { map: waiting })
    .watches(VolumeAttributesClass, { map: waiting })
    .run(tolerant(new VolumeProvisioner(recorder)));
  manager
    .controller(PersistentVolumeClaim, 'volume-resizer')
    .watches(PersistentVolume, { map: claimOf })
    .watches(Pod, { map: claimsOfPod })
    .run(tolerant(new VolumeResizer(recorder)));
  manager
    .controller(PersistentVolumeClaim, 'volume-modifier')
    .watches(VolumeAttributesClass, {
      map: function* ({ metadata }, { cache }) {
        for (const claim of cache.store(PersistentVolumeClaim).by(byAttributesClass, metadata.name)) yield keyOf(claim);
      },
    })
    .run(tolerant(new VolumeModifier(recorder)));
}

function protectionControllers(manager: Manager): void {
  manager.cache.informer(PersistentVolume).addIndex(byAttributesClass, attributesClassesOf);
  manager
    .controller(PersistentVolumeClaim, 'pvc-protection')
    .watches(Pod, { map: claimsOfPod })
    .run(tolerant(new ClaimProtection()));
  manager.controller(PersistentVolume, 'pv-protection').run(tolerant(new VolumeProtection()));
  // Who lets go of a class is seen as it changes: the class it named before counts too.
  const classes = (user: PersistentVolumeClaim | PersistentVolume) =>
    attributesClassesOf(user).map((name) => ({ name }));
  manager
    .controller(VolumeAttributesClass, 'vac-protection')
    .watches(PersistentVolumeClaim, { map: classes })
    .watches(PersistentVolume, { map: classes })
    .run(tolerant(new AttributesClassProtection()));
}
