import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { compareQuantities, matchesLabels, parseQuantity } from '@coxswain/runtime/core';
import type { Lookups } from '../plugins/types.ts';
import { compileSelector } from '../state/affinity-term.ts';
import { nodeSelected } from '../state/node-selection.ts';
import { claimsOf } from '../state/pod-info.ts';

/** By this a claim says on which node its volume is to be. */
export const selectedNode = 'volume.kubernetes.io/selected-node';
const bindCompleted = 'pv.kubernetes.io/bind-completed';

export function className({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}

/** Whether a claim has its volume, both sides agreed. */
export function isBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec?.volumeName) && metadata.annotations?.[bindCompleted] !== undefined;
}

/** The claims of a pod by what is still to be done for them. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** To be bound once a node is chosen. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

function missing(name: string, ephemeral: boolean): string {
  return ephemeral
    ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
    : `persistentvolumeclaim "${name}" not found`;
}

function isDelayed(claim: PersistentVolumeClaim, lookups: Lookups): boolean {
  if (claim.spec?.volumeName) return false;
  return lookups.storageClass(className(claim))?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** Sorts the claims of a pod, or says why the pod cannot be placed anywhere now. */
export function podClaims(pod: Pod, lookups: Lookups): PodClaims | string {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  let immediate = false;
  for (const { name, ephemeral } of claimsOf(pod)) {
    const claim = lookups.claim(pod.metadata.namespace ?? '', name);
    if (!claim) return missing(name, ephemeral);
    if (claim.status?.phase === 'Lost')
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ''}"`;
    if (claim.metadata.deletionTimestamp) return `persistentvolumeclaim "${name}" is being deleted`;
    const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
    if (ephemeral && owner !== pod.metadata.uid)
      return `PVC ${claim.metadata.namespace}/${name} was not created for pod ${pod.metadata.namespace}/${pod.metadata.name} (pod is not owner)`;
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(claim, lookups)) delayed.push(claim);
    else immediate = true;
  }
  return immediate ? 'pod has unbound immediate PersistentVolumeClaims' : { bound, delayed };
}

/** Whether a volume can be used on a node. */
export function reachable({ spec }: PersistentVolume, node: Node): boolean {
  return nodeSelected(spec?.nodeAffinity?.required, node);
}

function storageOf(quantities: Readonly<Record<string, string>> | undefined) {
  return parseQuantity(quantities?.['storage'] ?? '0');
}

function serves(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const { spec, metadata } = volume;
  if (!spec || metadata.deletionTimestamp || (spec.storageClassName ?? '') !== className(claim)) return false;
  if ((spec.volumeMode ?? 'Filesystem') !== (claim.spec?.volumeMode ?? 'Filesystem')) return false;
  if (!(claim.spec?.accessModes ?? []).every((mode) => spec.accessModes?.includes(mode))) return false;
  if (claim.spec?.selector && !matchesLabels(compileSelector(claim.spec.selector), metadata.labels)) return false;
  return compareQuantities(storageOf(spec.capacity), storageOf(claim.spec?.resources?.requests)) >= 0;
}

function isSetAside({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const wanted = spec?.claimRef;
  if (wanted?.namespace !== metadata.namespace || wanted?.name !== metadata.name) return false;
  return !wanted.uid || wanted.uid === metadata.uid;
}

/** For each claim the smallest volume there is for it on a node; claims without one are left over. */
export function staticVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookups: Lookups,
): { readonly chosen: Map<PersistentVolumeClaim, PersistentVolume>; readonly left: readonly PersistentVolumeClaim[] } {
  const chosen = new Map<PersistentVolumeClaim, PersistentVolume>();
  const taken = new Set<string>();
  const left: PersistentVolumeClaim[] = [];
  const requested = (claim: PersistentVolumeClaim) => storageOf(claim.spec?.resources?.requests);
  for (const claim of [...claims].sort((a, b) => compareQuantities(requested(a), requested(b)))) {
    let best: PersistentVolume | undefined;
    for (const volume of lookups.volumes()) {
      if (taken.has(volume.metadata.name) || !serves(volume, claim) || !reachable(volume, node)) continue;
      if (isSetAside(volume, claim)) {
        best = volume;
        break;
      }
      if (volume.spec?.claimRef || volume.status?.phase !== 'Available') continue;
      if (lookups.isReserved(volume.metadata.name)) continue;
      if (!best || compareQuantities(storageOf(volume.spec?.capacity), storageOf(best.spec?.capacity)) < 0)
        best = volume;
    }
    if (best) {
      chosen.set(claim, best);
      taken.add(best.metadata.name);
    } else left.push(claim);
  }
  return { chosen, left };
}
