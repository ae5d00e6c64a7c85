import { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { ignoreRace } from '../workload/tolerant.ts';
import { provisioner } from './binder.ts';

/** Marks new volumes Available; releases volumes whose claim is gone and deletes those that were made for it. */
export class VolumeReclaimer implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const volume = cache.store(PersistentVolume).get(key);
    if (!volume || volume.metadata.deletionTimestamp) return undefined;
    const phase = await this.#phaseOf(volume, client);
    if (
      phase === 'Released' &&
      volume.spec?.persistentVolumeReclaimPolicy === 'Delete' &&
      volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] === provisioner
    ) {
      await client
        .of(PersistentVolume)
        .delete(key, { preconditions: { ...(volume.metadata.uid ? { uid: volume.metadata.uid } : {}) } })
        .catch(ignoreRace);
    } else if (phase && phase !== volume.status?.phase) {
      await client
        .of(PersistentVolume)
        .patch(key, merge({ status: { phase } }), { subresource: 'status' })
        .catch(ignoreRace);
    }
    return undefined;
  }

  /** Asks the server, not the cache, before it calls a claim gone. */
  async #phaseOf(volume: PersistentVolume, client: ReconcileContext['client']): Promise<string | undefined> {
    const reference = volume.spec?.claimRef;
    if (!reference?.uid) return volume.status?.phase === 'Released' ? undefined : 'Available';
    const claim = await client
      .of(PersistentVolumeClaim)
      .find({ namespace: reference.namespace ?? '', name: reference.name ?? '' });
    return claim?.metadata.uid === reference.uid ? undefined : 'Released';
  }
}
