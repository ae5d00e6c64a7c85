import { PersistentVolume, PersistentVolumeClaim, type Pod, type Volume } from '@coxswain/k8s';
import { parseQuantity, quantityValue } from '@coxswain/runtime/core';
import { claimProtection, isOwnClaim, provisionedBy, provisioner } from '../../controllers/volume/index.ts';
import type { FindObject } from '../find-object.ts';
import type { VolumeContent } from '../runtime.ts';
import { VolumeError } from './errors.ts';

function checkOwner(pod: Pod, claim: PersistentVolumeClaim): void {
  if (isOwnClaim(pod, claim)) return;
  const { namespace, name } = claim.metadata;
  throw new VolumeError(
    `PVC ${namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`,
  );
}

async function boundClaim(find: FindObject, namespace: string, name: string): Promise<PersistentVolumeClaim> {
  const claim = await find(PersistentVolumeClaim, { namespace, name });
  if (!claim) throw new VolumeError(`failed to fetch PVC from API server: persistentvolumeclaims "${name}" not found`);
  if (claim.metadata.deletionTimestamp && !claim.metadata.finalizers?.includes(claimProtection))
    throw new VolumeError('PVC is being deleted');
  if (claim.status?.phase !== 'Bound') throw new VolumeError('PVC is not bound');
  if (!claim.spec?.volumeName) throw new VolumeError('PVC has empty pvc.Spec.VolumeName');
  return claim;
}

async function boundVolume(find: FindObject, claim: PersistentVolumeClaim): Promise<PersistentVolume> {
  const name = claim.spec?.volumeName ?? '';
  const volume = await find(PersistentVolume, { name });
  if (!volume)
    throw new VolumeError(`failed to fetch PV ${name} from API server: persistentvolumes "${name}" not found`);
  const reference = volume.spec?.claimRef;
  if (!reference)
    throw new VolumeError(
      `found PV object ${name} but it has a nil pv.Spec.ClaimRef indicating it is not yet bound to the claim`,
    );
  if (reference.uid !== claim.metadata.uid)
    throw new VolumeError(
      `found PV object ${name} but its pv.Spec.ClaimRef.UID ${reference.uid} does not point to claim.UID ${claim.metadata.uid}`,
    );
  return volume;
}

/** How the containers of the pod use the volume must be how it was made. */
function checkMode(pod: Pod, name: string, mode: string): void {
  const containers = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const uses = (field: 'volumeMounts' | 'volumeDevices') =>
    containers.some((container) => container[field]?.some((use) => use.name === name));
  for (const [field, needed] of [
    ['volumeMounts', 'Filesystem'],
    ['volumeDevices', 'Block'],
  ] as const)
    if (mode !== needed && uses(field))
      throw new VolumeError(`volume ${name} has volumeMode ${mode}, but is specified in ${field}`);
}

/** The volume as its node sees it. */
function contentOf(volume: PersistentVolume, readOnly: boolean): VolumeContent {
  const { name, annotations } = volume.metadata;
  const { spec } = volume;
  if (spec?.volumeMode === 'Block')
    return {
      kind: 'unsupported',
      message: `persistent volume "${name}" is a block device: this node has file systems only`,
    };
  if (annotations?.[provisionedBy] === provisioner)
    return {
      kind: 'claim',
      volume: name,
      capacity: Number(quantityValue(parseQuantity(spec?.capacity?.['storage'] ?? '0'))),
      readOnly,
    };
  const host = spec?.hostPath ?? (spec?.local && { path: spec.local.path, type: 'Directory' });
  if (host) return { kind: 'host', path: host.path, type: host.type ?? '' };
  return {
    kind: 'unsupported',
    message: `persistent volume "${name}" is of a sort that this node cannot mount: use a storage class of the provisioner ${provisioner}, hostPath or local`,
  };
}

/** @throws VolumeError when there is no bound volume that the pod may use */
export async function claimContent(
  find: FindObject,
  pod: Pod,
  volume: Volume,
  claimName: string,
): Promise<VolumeContent> {
  const namespace = pod.metadata.namespace ?? '';
  try {
    const claim = await boundClaim(find, namespace, claimName);
    if (volume.ephemeral) checkOwner(pod, claim);
    const bound = await boundVolume(find, claim);
    checkMode(pod, volume.name, bound.spec?.volumeMode ?? 'Filesystem');
    return contentOf(bound, volume.persistentVolumeClaim?.readOnly ?? false);
  } catch (error) {
    if (!(error instanceof VolumeError)) throw error;
    throw new VolumeError(`error processing PVC ${namespace}/${claimName}: ${error.message}`);
  }
}
