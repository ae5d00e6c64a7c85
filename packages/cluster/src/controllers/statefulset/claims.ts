import { type OwnerReference, PersistentVolumeClaim, type Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import { ignoreRace } from '../workload/tolerant.ts';
import type { StatefulModel } from './model.ts';
import { claimName, podName } from './pods.ts';

function setReference({ kind, object }: StatefulModel): OwnerReference {
  const apiVersion = `${kind.group}/${kind.version}`;
  return { apiVersion, kind: kind.kind, name: object.metadata.name, uid: object.metadata.uid ?? '' };
}

function podReference(pod: Pod): OwnerReference {
  return { apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid ?? '' };
}

/**
 * The owners of a claim: the set when claims go with the set, the pod when the pod is being scaled away and claims go with it.
 * Other owners stay.
 */
function ownersOf(model: StatefulModel, claim: PersistentVolumeClaim, pod: Pod, condemned: boolean): OwnerReference[] {
  const setUid = model.object.metadata.uid;
  const others = (claim.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== setUid && owner.kind !== 'Pod');
  const { whenDeleted, whenScaled } = model.claimRetention;
  if (condemned && whenScaled === 'Delete') return [...others, podReference(pod)];
  return whenDeleted === 'Delete' && !(condemned && whenScaled === 'Retain')
    ? [...others, setReference(model)]
    : others;
}

/** Makes the claims of one ordinal that are missing. Answers `false` when one is on its way out and has to go first. */
export async function ensureClaims(
  { cache, client }: ReconcileContext,
  model: StatefulModel,
  ordinal: number,
): Promise<boolean> {
  const namespace = model.object.metadata.namespace ?? '';
  for (const template of model.claims) {
    const name = claimName(template, podName(model, ordinal));
    const known = cache.store(PersistentVolumeClaim).get({ namespace, name });
    if (known?.metadata.deletionTimestamp) return false;
    if (known) continue;
    await client
      .of(PersistentVolumeClaim)
      .create(newClaim(model, template, name))
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
  }
  return true;
}

function newClaim(model: StatefulModel, template: PersistentVolumeClaim, name: string): PersistentVolumeClaim {
  const { labels, annotations } = template.metadata;
  const metadata = {
    name,
    namespace: model.object.metadata.namespace ?? '',
    labels: { ...labels, ...model.selector.matchLabels },
    ...(annotations ? { annotations } : {}),
  };
  const ownerReferences = model.claimRetention.whenDeleted === 'Delete' ? [setReference(model)] : [];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: ownerReferences.length > 0 ? { ...metadata, ownerReferences } : metadata,
    ...(template.spec ? { spec: template.spec } : {}),
  };
}

/** Points the claims of a pod at who takes them along when it goes. */
export async function syncClaimOwners(
  { cache, client }: ReconcileContext,
  model: StatefulModel,
  pod: Pod,
  condemned: boolean,
): Promise<void> {
  const namespace = model.object.metadata.namespace ?? '';
  for (const template of model.claims) {
    const claim = cache.store(PersistentVolumeClaim).get({ namespace, name: claimName(template, pod.metadata.name) });
    if (!claim || claim.metadata.deletionTimestamp) continue;
    const ownerReferences = ownersOf(model, claim, pod, condemned);
    if (deepEqual(ownerReferences, claim.metadata.ownerReferences ?? [])) continue;
    const { uid, resourceVersion } = claim.metadata;
    await client
      .of(PersistentVolumeClaim)
      .patch(keyOf(claim), merge({ metadata: { uid, resourceVersion, ownerReferences } }))
      .catch(ignoreRace);
  }
}
