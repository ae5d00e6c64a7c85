import { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import { isBoundTo } from './match.ts';
import { bindCompleted, boundByController } from './names.ts';
import { setClaimPhase, setVolumePhase } from './phases.ts';

export function claimReference({ metadata }: PersistentVolumeClaim) {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion };
}

async function pointVolume(
  { client }: ReconcileContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<PersistentVolume> {
  if (volume.spec?.claimRef?.uid === claim.metadata.uid && isBoundTo(volume, claim)) return volume;
  const { uid, resourceVersion } = volume.metadata;
  const mark = isBoundTo(volume, claim) ? {} : { annotations: { [boundByController]: 'yes' } };
  // only the volume that was looked at: somebody else may have given it to another claim meanwhile
  const metadata = { uid, resourceVersion, ...mark };
  const body = merge({ metadata, spec: { claimRef: claimReference(claim) } });
  return client.of(PersistentVolume).patch(keyOf(volume), body);
}

async function pointClaim(
  { client }: ReconcileContext,
  claim: PersistentVolumeClaim,
  volume: PersistentVolume,
): Promise<PersistentVolumeClaim> {
  const named = claim.spec?.volumeName === volume.metadata.name;
  const { annotations = {}, uid } = claim.metadata;
  if (named && annotations[bindCompleted] !== undefined) return claim;
  const marks = { [bindCompleted]: 'yes', ...(named ? {} : { [boundByController]: 'yes' }) };
  const body = merge({ metadata: { uid, annotations: marks }, spec: { volumeName: volume.metadata.name } });
  return client.of(PersistentVolumeClaim).patch(keyOf(claim), body);
}

/** Points a volume and a claim at each other, the volume first. Cut at any step, it goes on where it was. */
export async function bind(
  context: ReconcileContext,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
): Promise<void> {
  const pointed = await setVolumePhase(context, await pointVolume(context, volume, claim), 'Bound');
  await setClaimPhase(context, await pointClaim(context, claim, pointed), 'Bound', pointed);
}

/** Takes back what `pointVolume` did: the claim got another volume. What a user has set aside stays set aside. */
export async function unbind(context: ReconcileContext, volume: PersistentVolume): Promise<void> {
  const ours = volume.metadata.annotations?.[boundByController] !== undefined;
  const { uid, resourceVersion } = volume.metadata;
  const body = ours
    ? { metadata: { annotations: { [boundByController]: null } }, spec: { claimRef: null } }
    : { metadata: {}, spec: { claimRef: { uid: null } } };
  const metadata = { uid, resourceVersion, ...body.metadata };
  const freed = await context.client.of(PersistentVolume).patch(keyOf(volume), merge({ metadata, spec: body.spec }));
  await setVolumePhase(context, freed, 'Available');
}
