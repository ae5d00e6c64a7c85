import { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from '@coxswain/k8s';
import { removeFinalizer } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';

/** Finalizer that keeps a class of volume attributes while a claim or a volume names it. */
export const attributesClassProtection = 'kubernetes.io/vac-protection';

/** Index of claims and volumes by the classes they name, wanted or in use. */
export const byAttributesClass = 'volumeAttributesClass';

export function attributesClassesOf({ spec, status }: PersistentVolumeClaim | PersistentVolume): string[] {
  const { currentVolumeAttributesClassName: current, modifyVolumeStatus: modify } = (status ?? {}) as NonNullable<
    PersistentVolumeClaim['status']
  >;
  const names = [spec?.volumeAttributesClassName, current, modify?.targetVolumeAttributesClassName];
  return [...new Set(names.filter((name): name is string => Boolean(name)))];
}

/** Lets a class of volume attributes that is being deleted go when nothing names it any more. */
export class AttributesClassProtection implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const attributes = cache.store(VolumeAttributesClass).get(key);
    if (!attributes?.metadata.deletionTimestamp || !attributes.metadata.finalizers?.includes(attributesClassProtection))
      return undefined;
    for (const kind of [PersistentVolumeClaim, PersistentVolume])
      for (const _user of cache.store(kind).by(byAttributesClass, key.name)) return undefined;
    await removeFinalizer(client, VolumeAttributesClass, attributes, attributesClassProtection);
    return undefined;
  }
}
