import { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { bind } from './bind.ts';
import { defaultClass } from './default-class.ts';
import { findVolume, isBoundTo, mismatch } from './match.ts';
import {
  betaStorageProvisioner,
  bindCompleted,
  boundByController,
  classOf,
  namesClass,
  selectedNode,
  storageProvisioner,
} from './names.ts';
import { setClaimPhase } from './phases.ts';
import { isTerminated, podsByClaim } from './pod-claims.ts';

const inTree = 'kubernetes.io/';

/** Gives claims the volumes they ask for, asks provisioners for those there are none for, and notices when a volume is lost. */
export class ClaimBinder implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const claim = context.cache.store(PersistentVolumeClaim).get(context.key);
    if (!claim) return undefined;
    if (claim.metadata.annotations?.[bindCompleted] !== undefined) await this.#syncBound(context, claim);
    else if (claim.metadata.deletionTimestamp) return undefined;
    else if (claim.spec?.volumeName) await this.#syncRequested(context, claim, claim.spec.volumeName);
    else await this.#syncUnbound(context, claim);
    return undefined;
  }

  /** The user does not care which volume it is. */
  async #syncUnbound(context: ReconcileContext, claim: PersistentVolumeClaim): Promise<void> {
    const { cache } = context;
    const className = classOf(claim);
    const storageClass = className ? cache.store(StorageClass).get({ name: className }) : undefined;
    const delayed = storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
    const volume = findVolume(claim, cache.store(PersistentVolume).list(), delayed);
    if (volume) return bind(context, volume, claim);
    const dressed = await this.#takeDefaultClass(context, claim);
    if (dressed) return this.#syncUnbound(context, dressed);
    if (delayed && claim.metadata.annotations?.[selectedNode] === undefined) this.#tellOfDelay(context, claim);
    else if (className !== '') return this.#askProvisioner(context, claim, storageClass);
    else
      this.#tell(claim, 'FailedBinding', 'no persistent volumes available for this claim and no storage class is set');
    await setClaimPhase(context, claim, 'Pending');
  }

  /** The user asked for one volume by its name. */
  async #syncRequested(context: ReconcileContext, claim: PersistentVolumeClaim, name: string): Promise<void> {
    const volume = context.cache.store(PersistentVolume).get({ name });
    if (volume && isBoundTo(volume, claim)) return bind(context, volume, claim);
    if (volume && !volume.spec?.claimRef) {
      const why = mismatch(volume, claim);
      if (why === undefined) return bind(context, volume, claim);
      this.#warn(claim, 'VolumeMismatch', `Cannot bind to requested volume "${name}": ${why}`);
    } else if (volume) this.#warn(claim, 'FailedBinding', `volume "${name}" already bound to a different claim.`);
    // Pointed there by the controller, it never comes free by waiting; but only a user can know what is right.
    if (claim.metadata.annotations?.[boundByController] === undefined) await setClaimPhase(context, claim, 'Pending');
  }

  async #syncBound(context: ReconcileContext, claim: PersistentVolumeClaim): Promise<void> {
    const name = claim.spec?.volumeName;
    if (!name)
      return this.#lose(
        context,
        claim,
        'ClaimLost',
        'Bound claim has lost reference to PersistentVolume. Data on the volume is lost!',
      );
    const volume = context.cache.store(PersistentVolume).get({ name }) ?? (await findLive(context, name));
    if (!volume)
      return this.#lose(
        context,
        claim,
        'ClaimLost',
        'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
      );
    const owner = volume.spec?.claimRef?.uid;
    if (volume.spec?.claimRef && owner !== claim.metadata.uid)
      return this.#lose(
        context,
        claim,
        'ClaimMisbound',
        'Two claims are bound to the same volume, this one is bound incorrectly',
      );
    return bind(context, volume, claim);
  }

  async #lose(context: ReconcileContext, claim: PersistentVolumeClaim, reason: string, message: string): Promise<void> {
    if (claim.status?.phase === 'Lost') return;
    if (await setClaimPhase(context, claim, 'Lost')) this.#warn(claim, reason, message);
  }

  /** Claims that were made before there was a default class get it now. */
  async #takeDefaultClass(
    { client, cache }: ReconcileContext,
    claim: PersistentVolumeClaim,
  ): Promise<PersistentVolumeClaim | undefined> {
    const storageClass = namesClass(claim) ? undefined : defaultClass(cache.store(StorageClass).list());
    if (!storageClass) return undefined;
    const { uid } = claim.metadata;
    const spec = { storageClassName: storageClass.metadata.name };
    return client.of(PersistentVolumeClaim).patch(keyOf(claim), merge({ metadata: { uid }, spec }));
  }

  #tellOfDelay({ cache }: ReconcileContext, claim: PersistentVolumeClaim): void {
    const { namespace, name } = claim.metadata;
    const waiting = [...cache.store(Pod).by(podsByClaim, `${namespace}/${name}`)]
      .filter((pod) => !pod.spec?.nodeName && !isTerminated(pod))
      .map((pod) => pod.metadata.name);
    if (waiting.length === 0)
      this.#tell(claim, 'WaitForFirstConsumer', 'waiting for first consumer to be created before binding');
    else
      this.#tell(
        claim,
        'WaitForPodScheduled',
        `waiting for pod${waiting.length > 1 ? 's' : ''} ${waiting.join(',')} to be scheduled`,
      );
  }

  /** Marks the claim for the provisioner of its class, which is a program of its own. */
  async #askProvisioner(
    { client }: ReconcileContext,
    claim: PersistentVolumeClaim,
    storageClass: StorageClass | undefined,
  ): Promise<void> {
    const name = storageClass?.provisioner;
    if (name === undefined)
      return this.#warn(claim, 'ProvisioningFailed', `storageclass.storage.k8s.io "${classOf(claim)}" not found`);
    if (name.startsWith(inTree))
      return this.#warn(claim, 'ProvisioningFailed', `no volume plugin matched name: ${name}`);
    const { uid, annotations } = claim.metadata;
    if (annotations?.[storageProvisioner] !== name) {
      const marks = { [betaStorageProvisioner]: name, [storageProvisioner]: name };
      await client.of(PersistentVolumeClaim).patch(keyOf(claim), merge({ metadata: { uid, annotations: marks } }));
    }
    this.#tell(
      claim,
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  }

  #tell(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.#recorder.event(PersistentVolumeClaim, claim, { reason, message });
  }

  #warn(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.#recorder.event(PersistentVolumeClaim, claim, { type: 'Warning', reason, message });
  }
}

/** Asks the server before a volume is called lost: the cache may not know it yet. */
function findLive({ client }: ReconcileContext, name: string): Promise<PersistentVolume | undefined> {
  return client.of(PersistentVolume).find({ name });
}
