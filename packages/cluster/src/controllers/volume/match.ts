import type { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { compareQuantities, matchesLabels, parseQuantity, selectorFromField } from '@coxswain/runtime/core';
import { classOf, requestedSize, volumeSize } from './names.ts';

/** Whether a volume is set aside for a claim, or bound to it already. */
export function isBoundTo({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const reference = spec?.claimRef;
  if (reference?.name !== metadata.name || reference.namespace !== metadata.namespace) return false;
  return !reference.uid || reference.uid === metadata.uid;
}

export function sameMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec?.volumeMode ?? 'Filesystem') === (claim.spec?.volumeMode ?? 'Filesystem');
}

function isLargeEnough(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return compareQuantities(parseQuantity(volumeSize(volume)), parseQuantity(requestedSize(claim))) >= 0;
}

function hasModes({ spec }: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode));
}

function sameAttributes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (volume.spec?.volumeAttributesClassName ?? '') === (claim.spec?.volumeAttributesClassName ?? '');
}

/** Why a volume that a claim names cannot be its volume; `undefined` when it can. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp) return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return 'requested PV is too small';
  if (classOf(volume) !== classOf(claim)) return 'storageClassName does not match';
  if (!sameAttributes(volume, claim)) return 'volumeAttributesClassName does not match';
  if (!sameMode(volume, claim)) return 'incompatible volumeMode';
  if (!hasModes(volume, claim)) return 'incompatible accessMode';
  return undefined;
}

/** Volumes with the fewest access modes first, then the smallest. */
function byFit(a: PersistentVolume, b: PersistentVolume): number {
  const modes = ({ spec }: PersistentVolume) => spec?.accessModes?.length ?? 0;
  const [one, other] = [parseQuantity(volumeSize(a)), parseQuantity(volumeSize(b))];
  return modes(a) - modes(b) || compareQuantities(one, other) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

/**
 * The volume that a claim without a volume gets: one that is set aside for it, or else the one that fits best.
 * @param delayed only one that is set aside: whose class binds for pods is placed by the scheduler
 */
export function findVolume(
  claim: PersistentVolumeClaim,
  volumes: Iterable<PersistentVolume>,
  delayed: boolean,
): PersistentVolume | undefined {
  const selector = claim.spec?.selector && selectorFromField(claim.spec.selector);
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    const own = isBoundTo(volume, claim);
    if (!own && (delayed || volume.spec?.claimRef || volume.status?.phase !== 'Available')) continue;
    if (volume.metadata.deletionTimestamp || !sameMode(volume, claim) || !sameAttributes(volume, claim)) continue;
    if (!isLargeEnough(volume, claim) || !hasModes(volume, claim)) continue;
    if (own) return volume;
    if (classOf(volume) !== classOf(claim)) continue;
    if (selector && !matchesLabels(selector, volume.metadata.labels)) continue;
    if (!best || byFit(volume, best) < 0) best = volume;
  }
  return best;
}
