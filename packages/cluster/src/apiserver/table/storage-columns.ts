import type { DynamicObject } from '@coxswain/k8s';
import { listAt, mapAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { age, column, name, orNone, specOf, statusOf, wide } from './cells.ts';

const modeNames: readonly (readonly [string, string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

function modesText(modes: readonly unknown[]): string {
  return modeNames
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

const phaseOf = (object: DynamicObject): string =>
  object.metadata.deletionTimestamp === undefined ? textAt(statusOf(object), 'phase') : 'Terminating';

const orUnset = (text: string): string => (text === '' ? '<unset>' : text);
const isBound = (claim: DynamicObject): boolean => textAt(specOf(claim), 'volumeName') !== '';

function claimOf(volume: DynamicObject): string {
  const claim = objectAt(specOf(volume), 'claimRef');
  return claim ? `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}` : '';
}

const className = column('StorageClass', (object) => textAt(specOf(object), 'storageClassName'));
const attributesClass = column('VolumeAttributesClass', (object) =>
  orUnset(textAt(specOf(object), 'volumeAttributesClassName')),
);
const volumeMode = wide('VolumeMode', (object) => orUnset(textAt(specOf(object), 'volumeMode')));

function classTitle(object: DynamicObject): string {
  const annotations = mapAt(objectAt(object, 'metadata'), 'annotations');
  const isDefault = annotations['storageclass.kubernetes.io/is-default-class'] === 'true';
  return isDefault ? `${object.metadata.name} (default)` : object.metadata.name;
}

/** Columns of volumes and what makes them, by `group/plural`. */
export const storageTables: Readonly<Record<string, readonly Column[]>> = {
  '/persistentvolumeclaims': [
    name,
    column('Status', phaseOf),
    column('Volume', (object) => textAt(specOf(object), 'volumeName')),
    column('Capacity', (object) => (isBound(object) ? (mapAt(statusOf(object), 'capacity').storage ?? '0') : '')),
    column('Access Modes', (object) => (isBound(object) ? modesText(listAt(statusOf(object), 'accessModes')) : '')),
    className,
    attributesClass,
    age,
    volumeMode,
  ],
  '/persistentvolumes': [
    name,
    column('Capacity', (object) => mapAt(specOf(object), 'capacity').storage ?? '0'),
    column('Access Modes', (object) => modesText(listAt(specOf(object), 'accessModes'))),
    column('Reclaim Policy', (object) => textAt(specOf(object), 'persistentVolumeReclaimPolicy')),
    column('Status', phaseOf),
    column('Claim', claimOf),
    className,
    attributesClass,
    column('Reason', (object) => textAt(statusOf(object), 'reason')),
    age,
    volumeMode,
  ],
  'storage.k8s.io/storageclasses': [
    { ...name, value: classTitle },
    column('Provisioner', (object) => textAt(object, 'provisioner')),
    column('ReclaimPolicy', (object) => textAt(object, 'reclaimPolicy') || 'Delete'),
    column('VolumeBindingMode', (object) => textAt(object, 'volumeBindingMode') || 'Immediate'),
    column('AllowVolumeExpansion', (object) => object.allowVolumeExpansion === true),
    age,
  ],
  'storage.k8s.io/volumeattributesclasses': [name, column('DriverName', (object) => textAt(object, 'driverName')), age],
  'storage.k8s.io/csinodes': [
    name,
    column('Drivers', (object) => listAt(specOf(object), 'drivers').length, 'integer'),
    age,
  ],
  'storage.k8s.io/csidrivers': [
    name,
    column('AttachRequired', (object) => specOf(object).attachRequired !== false, 'boolean'),
    column('PodInfoOnMount', (object) => specOf(object).podInfoOnMount === true, 'boolean'),
    column('StorageCapacity', (object) => specOf(object).storageCapacity === true, 'boolean'),
    column('TokenRequests', (object) => {
      const requests = objectsAt(specOf(object), 'tokenRequests');
      return specOf(object).tokenRequests === undefined
        ? '<unset>'
        : requests.map((entry) => textAt(entry, 'audience')).join(',');
    }),
    column('RequiresRepublish', (object) => specOf(object).requiresRepublish === true, 'boolean'),
    column('Modes', (object) => orNone(listAt(specOf(object), 'volumeLifecycleModes').join(','))),
    age,
  ],
  'storage.k8s.io/volumeattachments': [
    name,
    { ...column('Attacher', (object) => textAt(specOf(object), 'attacher')), format: 'name' },
    column('PV', (object) => textAt(objectAt(specOf(object), 'source'), 'persistentVolumeName')),
    column('Node', (object) => textAt(specOf(object), 'nodeName')),
    column('Attached', (object) => statusOf(object).attached === true, 'boolean'),
    age,
  ],
};
