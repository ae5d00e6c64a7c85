import { compareQuantities, forbidden, parseQuantity } from '@coxswain/runtime/core';
import type { Storage } from '../../storage/types.ts';
import { ensureObject, given, listAt, mapAt, objectAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../types.ts';
import { newestDefault } from './newest-default.ts';

const storageName = 'storage.k8s.io/storageclasses';
const defaultAnnotation = 'storageclass.kubernetes.io/is-default-class';
const betaDefaultAnnotation = 'storageclass.beta.kubernetes.io/is-default-class';
const betaClassAnnotation = 'volume.beta.kubernetes.io/storage-class';

function isClaim({ resource, subresource }: AdmissionAttributes): boolean {
  return resource.group === '' && resource.plural === 'persistentvolumeclaims' && subresource === '';
}

/** The class of claims that name none. */
export const defaultStorageClassName = (storage: Storage): string | undefined =>
  newestDefault(storage, storageName, [defaultAnnotation, betaDefaultAnnotation]);

/** Gives claims without a class the default one. An empty class name means: no class, and stays. */
export const defaultStorageClass: AdmissionPlugin = {
  name: 'DefaultStorageClass',
  admit(attributes) {
    const { operation, object, storage } = attributes;
    if (operation !== 'CREATE' || !object || !isClaim(attributes)) return;
    const spec = ensureObject(object, 'spec');
    const annotations = mapAt(objectAt(object, 'metadata'), 'annotations');
    if (given(spec.storageClassName) || betaClassAnnotation in annotations) return;
    const name = defaultStorageClassName(storage);
    if (name !== undefined) spec.storageClassName = name;
  },
};

const protections: Readonly<Record<string, string>> = {
  '/persistentvolumeclaims': 'kubernetes.io/pvc-protection',
  '/persistentvolumes': 'kubernetes.io/pv-protection',
  'storage.k8s.io/volumeattributesclasses': 'kubernetes.io/vac-protection',
};

/** Claims and volumes get the finalizer that keeps them while something uses them. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  admit({ operation, resource, subresource, object }) {
    const finalizer = protections[`${resource.group}/${resource.plural}`];
    if (operation !== 'CREATE' || subresource !== '' || !object || finalizer === undefined) return;
    const metadata = ensureObject(object, 'metadata');
    const present = listAt(metadata, 'finalizers');
    if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer];
  },
};

function sizeOf(claim: ReadJson | undefined): unknown {
  return objectAt(objectAt(objectAt(claim, 'spec'), 'resources'), 'requests')?.storage;
}

function grows(next: unknown, before: unknown): boolean {
  if (typeof next !== 'string' || typeof before !== 'string') return false;
  return compareQuantities(parseQuantity(next), parseQuantity(before)) > 0;
}

/** A claim may only grow when it is bound and its class can expand volumes. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: 'PersistentVolumeClaimResize',
  validate(attributes) {
    const { operation, object, old, storage, resource, name } = attributes;
    if (operation !== 'UPDATE' || !object || !old || !isClaim(attributes)) return;
    if (!grows(sizeOf(object), sizeOf(old))) return;
    if (textAt(objectAt(old, 'status'), 'phase') !== 'Bound') {
      throw forbidden(resource, name, 'Only bound persistent volume claims can be expanded');
    }
    const className = textAt(objectAt(object, 'spec'), 'storageClassName');
    const found = storage.get({ resource: storageName, namespace: '', name: className }) as unknown as
      | ReadJson
      | undefined;
    if (found?.allowVolumeExpansion === true) return;
    const why =
      'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize';
    throw forbidden(resource, name, why);
  },
};
