import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';

/** The provisioner and resizer that these controllers stand in for. Claims and volumes of others are left to them. */
export const provisioner = 'coxswain.io/embedded';

/** The claim and its volume agree. */
export const bindCompleted = 'pv.kubernetes.io/bind-completed';
/** The side that bears it was pointed at the other one by the controller, not by a user. */
export const boundByController = 'pv.kubernetes.io/bound-by-controller';
/** Who made a volume. */
export const provisionedBy = 'pv.kubernetes.io/provisioned-by';
/** Where the first pod that uses the claim is to run; set by the scheduler. */
export const selectedNode = 'volume.kubernetes.io/selected-node';
/** Who is to make a volume for a claim. */
export const storageProvisioner = 'volume.kubernetes.io/storage-provisioner';
export const betaStorageProvisioner = 'volume.beta.kubernetes.io/storage-provisioner';
/** The size of a volume before it grew, as long as its file system has not. */
export const preResizeCapacity = 'volume.alpha.kubernetes.io/pre-resize-capacity';

const betaClass = 'volume.beta.kubernetes.io/storage-class';

/** The class of a claim or volume; `''` when it has none. */
export function classOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[betaClass] ?? spec?.storageClassName ?? '';
}

/** Whether the claim says anything about its class, be it that it wants none. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[betaClass] !== undefined || spec?.storageClassName !== undefined;
}

/** The size a claim asks for. */
export function requestedSize({ spec }: PersistentVolumeClaim): string {
  return spec?.resources?.requests?.['storage'] ?? '0';
}

export function volumeSize({ spec }: PersistentVolume): string {
  return spec?.capacity?.['storage'] ?? '0';
}
