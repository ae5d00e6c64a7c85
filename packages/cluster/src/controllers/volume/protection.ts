import { PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { removeFinalizer } from '@coxswain/runtime/apply';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';

/** Finalizer that keeps a claim while a pod uses it. */
export const claimProtection = 'kubernetes.io/pvc-protection';

/** Index of pods by the claims they mount: `namespace/claim`. */
export const podsByClaim = 'persistentVolumeClaim';

export function claimsOf(pod: Pod): string[] {
  const namespace = pod.metadata.namespace ?? '';
  return (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
    persistentVolumeClaim ? [`${namespace}/${persistentVolumeClaim.claimName}`] : [],
  );
}

/** Lets a claim that is being deleted go when no pod uses it any more. */
export class ClaimProtection implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const claim = cache.store(PersistentVolumeClaim).get(key);
    if (!claim?.metadata.deletionTimestamp || !claim.metadata.finalizers?.includes(claimProtection)) return undefined;
    for (const _pod of cache.store(Pod).by(podsByClaim, `${key.namespace}/${key.name}`)) return undefined;
    await removeFinalizer(client, PersistentVolumeClaim, claim, claimProtection);
    return undefined;
  }
}
