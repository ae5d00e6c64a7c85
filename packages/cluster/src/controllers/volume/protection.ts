import { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { removeFinalizer } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import { writeStatus } from '../workload/write-status.ts';
import { claimNameOf, isOwnClaim, isTerminated, podsByClaim } from './pod-claims.ts';

/** Finalizer that keeps a claim while a pod uses it. */
export const claimProtection = 'kubernetes.io/pvc-protection';

/** Finalizer that keeps a volume while a claim is bound to it. */
const volumeProtection = 'kubernetes.io/pv-protection';

/** Whether the kubelet is done with the pod, or it was deleted by force: what is left of it holds no claim of its own. */
function isShutDown({ metadata }: Pod): boolean {
  return Boolean(metadata.deletionTimestamp) && metadata.deletionGracePeriodSeconds === 0;
}

/** Whether a pod names the claim, be it by an ephemeral volume of its own. */
function names(pod: Pod, claim: PersistentVolumeClaim, withEphemeral: boolean): boolean {
  return (pod.spec?.volumes ?? []).some((volume) => {
    if (claimNameOf(pod, volume) !== claim.metadata.name) return false;
    return volume.persistentVolumeClaim !== undefined || (withEphemeral && isOwnClaim(pod, claim));
  });
}

/** Pods are told of only once they have a node: before, none will start with a claim that is being deleted. */
function holds(pod: Pod, claim: PersistentVolumeClaim): boolean {
  return Boolean(pod.spec?.nodeName) && names(pod, claim, !isShutDown(pod));
}

/** Lets a claim that is being deleted go when no pod uses it any more, and notes since when a claim is used or not. */
export class ClaimProtection implements Reconciler {
  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, client, key } = context;
    const claim = cache.store(PersistentVolumeClaim).get(key);
    if (!claim) return undefined;
    const known = [...cache.store(Pod).by(podsByClaim, `${key.namespace}/${key.name}`)];
    if (!claim.metadata.deletionTimestamp) {
      await noteUse(context, claim, known);
      return undefined;
    }
    if (!claim.metadata.finalizers?.includes(claimProtection)) return undefined;
    if (known.some((pod) => holds(pod, claim))) return undefined;
    // A pod that the cache has not heard of yet may use it already.
    for await (const pod of client.of(Pod).listAll({ namespace: key.namespace ?? '' }))
      if (holds(pod, claim)) return undefined;
    await removeFinalizer(client, PersistentVolumeClaim, claim, claimProtection);
    return undefined;
  }
}

async function noteUse(context: ReconcileContext, claim: PersistentVolumeClaim, pods: readonly Pod[]): Promise<void> {
  if (claim.status?.phase !== 'Bound') return;
  const used = pods.some((pod) => !isTerminated(pod) && names(pod, claim, true));
  const conditions = claim.status.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'Unused');
  if (before && (before.status === 'True') === !used) return;
  const condition = {
    type: 'Unused',
    status: used ? 'False' : 'True',
    lastTransitionTime: formatTime(context.clock.now()),
    reason: used ? 'PodUsingPVC' : 'NoPodsUsingPVC',
    message: used ? 'A pod is currently referencing this PVC' : 'No pods are currently referencing this PVC',
  };
  const others = conditions.filter((other) => other !== before);
  const status = { ...claim.status, conditions: [...others, condition] };
  await writeStatus(context, PersistentVolumeClaim, claim, status, { sameVersion: true });
}

/** Lets a volume that is being deleted go when no claim is bound to it any more. */
export class VolumeProtection implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const volume = cache.store(PersistentVolume).get(key);
    if (!volume?.metadata.deletionTimestamp || volume.status?.phase === 'Bound') return undefined;
    if (volume.metadata.finalizers?.includes(volumeProtection))
      await removeFinalizer(client, PersistentVolume, volume, volumeProtection);
    return undefined;
  }
}
