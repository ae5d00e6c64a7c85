import type { PersistentVolumeClaim, Pod, Volume } from '@coxswain/k8s';

/** Index of pods by the claims they mount: `namespace/claim`. */
export const podsByClaim = 'persistentVolumeClaim';

/** The claim a volume of a pod stands for, if it does; that of an ephemeral volume has a name made of the pod's and its own. */
export function claimNameOf(pod: Pod, { name, persistentVolumeClaim, ephemeral }: Volume): string | undefined {
  return persistentVolumeClaim?.claimName ?? (ephemeral ? `${pod.metadata.name}-${name}` : undefined);
}

/** The claims a pod names, as `namespace/claim`. */
export function claimsOf(pod: Pod): string[] {
  const namespace = pod.metadata.namespace ?? '';
  return (pod.spec?.volumes ?? []).flatMap((volume) => {
    const name = claimNameOf(pod, volume);
    return name === undefined ? [] : [`${namespace}/${name}`];
  });
}

/** Whether a claim was made for an ephemeral volume of this pod. */
export function isOwnClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  const owner = claim.metadata.ownerReferences?.find(({ controller }) => controller);
  return owner !== undefined && owner.uid === pod.metadata.uid;
}

/** Whether no container of the pod runs any more, nor will. */
export function isTerminated({ metadata, status }: Pod): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return true;
  if (!metadata.deletionTimestamp) return false;
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status ?? {};
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  return all.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
}
