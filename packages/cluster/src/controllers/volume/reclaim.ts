import { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import { removeFinalizer } from '@coxswain/runtime/apply';
import { type Client, merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { ignoreRace } from '../workload/tolerant.ts';
import { provisioner } from './binder.ts';

/** Marks new volumes Available; releases volumes whose claim is gone and deletes those that were made for it. */
export class VolumeReclaimer implements Reconciler {
  async reconcile({ cache, client, key }: ReconcileContext): Promise<Result> {
    const volume = cache.store(PersistentVolume).get(key);
    if (!volume) return undefined;
    if (volume.metadata.deletionTimestamp) {
      if (!(await this.#isInUse(volume, client))) await letGo(client, volume);
      return undefined;
    }
    const phase = await this.#phaseOf(volume, client);
    if (
      phase === 'Released' &&
      volume.spec?.persistentVolumeReclaimPolicy === 'Delete' &&
      volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] === provisioner
    ) {
      const { uid } = volume.metadata;
      const left = await client
        .of(PersistentVolume)
        .delete(key, uid ? { preconditions: { uid } } : {})
        .catch(ignoreRace);
      if (left) await letGo(client, left);
    } else if (phase && phase !== volume.status?.phase) {
      await client
        .of(PersistentVolume)
        .patch(key, merge({ status: { phase } }), { subresource: 'status' })
        .catch(ignoreRace);
    }
    return undefined;
  }

  /** Asks the server, not the cache, before it calls a claim gone. */
  async #phaseOf(volume: PersistentVolume, client: Client): Promise<string | undefined> {
    const reference = volume.spec?.claimRef;
    if (!reference?.uid) return volume.status?.phase === 'Released' ? undefined : 'Available';
    return (await this.#isInUse(volume, client)) ? undefined : 'Released';
  }

  /** Whether the claim it is bound to exists. */
  async #isInUse({ spec }: PersistentVolume, client: Client): Promise<boolean> {
    const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
    if (!uid) return false;
    const claim = await client.of(PersistentVolumeClaim).find({ namespace, name });
    return claim?.metadata.uid === uid;
  }
}

/** Finalizer that keeps a volume while a claim is bound to it. */
const volumeProtection = 'kubernetes.io/pv-protection';

async function letGo(client: Client, volume: PersistentVolume): Promise<void> {
  if (volume.metadata.finalizers?.includes(volumeProtection))
    await removeFinalizer(client, PersistentVolume, volume, volumeProtection).catch(ignoreRace);
}
