import { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { compareQuantities, keyOf, parseQuantity } from '@coxswain/runtime/core';
import { writeStatus } from '../workload/write-status.ts';
import { preResizeCapacity, volumeSize } from './names.ts';

/** Sets the phase of a volume; answers the volume as it is then. */
export async function setVolumePhase(
  { client }: ReconcileContext,
  volume: PersistentVolume,
  phase: string,
  message = '',
): Promise<PersistentVolume> {
  if (volume.status?.phase === phase) return volume;
  const { uid } = volume.metadata;
  const status = { phase, message: message || null };
  return client
    .of(PersistentVolume)
    .patch(keyOf(volume), merge({ metadata: { uid }, status }), { subresource: 'status' });
}

/** The size a claim has when it gets a volume; while a file system has yet to grow, it is the old one. */
function capacityOf(claim: PersistentVolumeClaim, volume: PersistentVolume): Readonly<Record<string, string>> {
  const before = volume.metadata.annotations?.[preResizeCapacity];
  if (before !== undefined) return { ...claim.status?.capacity, storage: before };
  const [have, size] = [claim.status?.capacity?.['storage'], volumeSize(volume)];
  const same = have !== undefined && compareQuantities(parseQuantity(have), parseQuantity(size)) === 0;
  return same ? { ...claim.status?.capacity } : { ...volume.spec?.capacity };
}

/**
 * Sets the phase of a claim and what it has of its volume; without a volume it has nothing. Its size is set when the phase changes
 * only: afterwards it is the resizer's. Answers whether anything was written.
 */
export function setClaimPhase(
  context: ReconcileContext,
  claim: PersistentVolumeClaim,
  phase: 'Pending' | 'Bound' | 'Lost',
  volume?: PersistentVolume,
): Promise<boolean> {
  const { accessModes: _modes, capacity, currentVolumeAttributesClassName: attributes, ...rest } = claim.status ?? {};
  if (!volume) return writeStatus(context, PersistentVolumeClaim, claim, { ...rest, phase });
  const becomesBound = claim.status?.phase === 'Pending' && phase === 'Bound';
  const current = becomesBound ? volume.spec?.volumeAttributesClassName : attributes;
  const size = claim.status?.phase === phase ? capacity : capacityOf(claim, volume);
  return writeStatus(context, PersistentVolumeClaim, claim, {
    ...rest,
    phase,
    accessModes: volume.spec?.accessModes ?? [],
    ...(size ? { capacity: size } : {}),
    ...(current ? { currentVolumeAttributesClassName: current } : {}),
  });
}
