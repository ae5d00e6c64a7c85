import type { MutableJson } from '@coxswain/k8s';
import { defaultClaimSpec } from '../core/claim-spec.ts';
import { ensureObject, fill, fillZero, objectAt, objectsAt, textAt } from '../shared/draft.ts';
import { defaultPullPolicy } from './image.ts';

/** 0644: what files of projected volumes get when nothing is said. */
const filePermissions = 0o644;

function defaultDownward(source: MutableJson | undefined): void {
  for (const item of objectsAt(source, 'items')) {
    const fieldRef = objectAt(item, 'fieldRef');
    if (fieldRef) fillZero(fieldRef, 'apiVersion', 'v1');
    const resourceRef = objectAt(item, 'resourceFieldRef');
    if (resourceRef) fillZero(resourceRef, 'divisor', '0');
  }
}

function defaultProjected(projected: MutableJson): void {
  fill(projected, 'defaultMode', filePermissions);
  for (const source of objectsAt(projected, 'sources')) {
    const token = objectAt(source, 'serviceAccountToken');
    if (token) fill(token, 'expirationSeconds', 3600);
    defaultDownward(objectAt(source, 'downwardAPI'));
  }
}

/** What plug-ins fill in, by their field; zero values count as absent where the field is no pointer. */
export function defaultPlugins(volume: MutableJson): void {
  const iscsi = objectAt(volume, 'iscsi');
  if (iscsi) fillZero(iscsi, 'iscsiInterface', 'default');
  const azureDisk = objectAt(volume, 'azureDisk');
  if (azureDisk) {
    fill(azureDisk, 'cachingMode', 'ReadWrite');
    fill(azureDisk, 'kind', 'Shared');
    fill(azureDisk, 'fsType', 'ext4');
    fill(azureDisk, 'readOnly', false);
  }
  const rbd = objectAt(volume, 'rbd');
  if (rbd) {
    fillZero(rbd, 'pool', 'rbd');
    fillZero(rbd, 'user', 'admin');
    fillZero(rbd, 'keyring', '/etc/ceph/keyring');
  }
  const scaleIO = objectAt(volume, 'scaleIO');
  if (!scaleIO) return;
  fillZero(scaleIO, 'storageMode', 'ThinProvisioned');
  fillZero(scaleIO, 'fsType', 'xfs');
}

/** Fills one volume of a pod; a volume without a source becomes an `emptyDir`. */
export function defaultVolume(volume: MutableJson): void {
  if (Object.keys(volume).every((key) => key === 'name' || volume[key] === null)) volume.emptyDir = {};
  for (const key of ['secret', 'configMap', 'downwardAPI']) {
    const source = objectAt(volume, key);
    if (source) fill(source, 'defaultMode', filePermissions);
  }
  defaultDownward(objectAt(volume, 'downwardAPI'));
  const projected = objectAt(volume, 'projected');
  if (projected) defaultProjected(projected);
  const hostPath = objectAt(volume, 'hostPath');
  if (hostPath) fill(hostPath, 'type', '');
  const image = objectAt(volume, 'image');
  if (image) fillZero(image, 'pullPolicy', defaultPullPolicy(textAt(image, 'reference')));
  defaultPlugins(volume);
  const claim = objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate');
  if (claim) defaultClaimSpec(ensureObject(claim, 'spec'));
}
