import { PersistentVolume, PersistentVolumeClaim } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace } from '../workload/tolerant.ts';
import { unbind } from './bind.ts';
import { sameMode } from './match.ts';
import { provisionedBy, provisioner } from './names.ts';
import { setVolumePhase } from './phases.ts';

/** Keeps the phase of volumes, and does what is to be done with one whose claim is gone. */
export class VolumeKeeper implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const volume = context.cache.store(PersistentVolume).get(context.key);
    if (!volume) return undefined;
    if (!volume.spec?.claimRef?.uid) {
      await setVolumePhase(context, volume, 'Available');
      return undefined;
    }
    const claim = await this.#claimOf(context, volume);
    const name = claim?.spec?.volumeName;
    if (!claim) await this.#release(context, volume);
    else if (!name) this.#tellOfMismatch(volume, claim);
    else if (name === volume.metadata.name) await setVolumePhase(context, volume, 'Bound');
    else if (volume.metadata.annotations?.[provisionedBy] && policyOf(volume) === 'Delete')
      await this.#release(context, volume);
    else await unbind(context, volume);
    return undefined;
  }

  /** Asks the server, not only the cache, before it calls a claim gone. */
  async #claimOf(
    { cache, client }: ReconcileContext,
    { spec, status }: PersistentVolume,
  ): Promise<PersistentVolumeClaim | undefined> {
    const { namespace = '', name = '', uid } = spec?.claimRef ?? {};
    const known = cache.store(PersistentVolumeClaim).get({ namespace, name });
    if (known?.metadata.uid === uid) return known;
    if (!known && (status?.phase === 'Released' || status?.phase === 'Failed')) return undefined;
    const live = await client.of(PersistentVolumeClaim).find({ namespace, name });
    return live?.metadata.uid === uid ? live : undefined;
  }

  /** The claim can never get this volume: the binder passes it over, so both are told here. */
  #tellOfMismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): void {
    if (sameMode(volume, claim)) return;
    const [one, other] = [claim.metadata.name, volume.metadata.name];
    const event = { type: 'Warning', reason: 'VolumeMismatch' } as const;
    this.#recorder.event(PersistentVolume, volume, {
      ...event,
      message: `Cannot bind PersistentVolume to requested PersistentVolumeClaim "${one}" due to incompatible volumeMode.`,
    });
    this.#recorder.event(PersistentVolumeClaim, claim, {
      ...event,
      message: `Cannot bind PersistentVolume "${other}" to requested PersistentVolumeClaim due to incompatible volumeMode.`,
    });
  }

  async #release(context: ReconcileContext, volume: PersistentVolume): Promise<void> {
    const over = volume.status?.phase === 'Failed' || volume.status?.phase === 'Released';
    const released = over ? volume : await setVolumePhase(context, volume, 'Released');
    const policy = policyOf(volume);
    if (policy === 'Delete') await this.#delete(context, released);
    else if (policy === 'Recycle')
      await this.#fail(context, released, 'VolumeFailedRecycle', 'No recycler plugin found for the volume!');
  }

  async #delete(context: ReconcileContext, volume: PersistentVolume): Promise<void> {
    const { deletionTimestamp, annotations, name, uid } = volume.metadata;
    if (deletionTimestamp) return;
    const maker = annotations?.[provisionedBy];
    const path = volume.spec?.hostPath?.path;
    // The real controller empties such a folder of its own machine, too. Here it is the user's, who may want it.
    const disposable = maker === undefined && path !== undefined && /^\/tmp\/.+/.test(path);
    if (maker === provisioner || disposable) {
      await context.client
        .of(PersistentVolume)
        .delete(keyOf(volume), uid ? { preconditions: { uid } } : {})
        .catch(ignoreRace);
      return;
    }
    if (maker || volume.spec?.csi) return; // its provisioner deletes it
    const why =
      path === undefined
        ? `error getting deleter volume plugin for volume "${name}": no deletable volume plugin matched`
        : `host_path deleter only supports /tmp/.+ but received provided ${path}`;
    await this.#fail(context, volume, 'VolumeFailedDelete', why);
  }

  async #fail(context: ReconcileContext, volume: PersistentVolume, reason: string, message: string): Promise<void> {
    if (volume.status?.phase === 'Failed') return;
    const failed = await setVolumePhase(context, volume, 'Failed', message);
    this.#recorder.event(PersistentVolume, failed, { type: 'Warning', reason, message });
  }
}

function policyOf({ spec }: PersistentVolume): string {
  return spec?.persistentVolumeReclaimPolicy ?? 'Retain';
}
