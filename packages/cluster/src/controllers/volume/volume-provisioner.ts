import { Node, PersistentVolume, PersistentVolumeClaim, StorageClass, VolumeAttributesClass } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { isAlreadyExists, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { classOf, provisioner, selectedNode, storageProvisioner } from './names.ts';
import { provisionedVolume, volumeNameOf } from './provisioned-volume.ts';

/** A claim cannot have a volume as it is; the message is for its user. */
class ProvisioningError extends Error {}

/** Makes volumes for claims that ask this provisioner for one. What is made is bound by the binder, as with any provisioner. */
export class VolumeProvisioner implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache } = context;
    const claim = cache.store(PersistentVolumeClaim).get(context.key);
    if (!claim || claim.metadata.deletionTimestamp || claim.spec?.volumeName) return undefined;
    if (claim.metadata.annotations?.[storageProvisioner] !== provisioner) return undefined;
    const storageClass = cache.store(StorageClass).get({ name: classOf(claim) });
    if (storageClass?.provisioner !== provisioner) return undefined;
    const node = claim.metadata.annotations[selectedNode];
    if (storageClass.volumeBindingMode === 'WaitForFirstConsumer' && node === undefined) return undefined;
    if (cache.store(PersistentVolume).get({ name: volumeNameOf(claim) })) return undefined;
    try {
      await this.#provision(context, claim, storageClass, node);
    } catch (error) {
      if (!(error instanceof ProvisioningError)) throw error;
      this.#recorder.event(PersistentVolumeClaim, claim, {
        type: 'Warning',
        reason: 'ProvisioningFailed',
        message: `failed to provision volume with StorageClass "${storageClass.metadata.name}": ${error.message}`,
      });
    }
    return undefined;
  }

  async #provision(
    context: ReconcileContext,
    claim: PersistentVolumeClaim,
    storageClass: StorageClass,
    nodeName: string | undefined,
  ): Promise<void> {
    const { client } = context;
    const { namespace, name } = claim.metadata;
    this.#tell(claim, 'Provisioning', `External provisioner is provisioning volume for claim "${namespace}/${name}"`);
    checkClaim(context, claim);
    const node = nodeName === undefined ? undefined : await this.#nodeOf(context, claim, nodeName);
    const volume = provisionedVolume(claim, storageClass, node);
    await client
      .of(PersistentVolume)
      .create(volume)
      .catch((error: unknown) => {
        if (!isAlreadyExists(error)) throw error;
      });
    this.#tell(claim, 'ProvisioningSucceeded', `Successfully provisioned volume ${volume.metadata.name}`);
  }

  /** A node that is gone is taken back: the scheduler chooses another. */
  async #nodeOf({ client }: ReconcileContext, claim: PersistentVolumeClaim, name: string): Promise<Node> {
    const node = await client.of(Node).find({ name });
    if (node) return node;
    const metadata = { uid: claim.metadata.uid, annotations: { [selectedNode]: null } };
    await client.of(PersistentVolumeClaim).patch(keyOf(claim), merge({ metadata }));
    throw new ProvisioningError(`failed to get target node: nodes "${name}" not found`);
  }

  #tell(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.#recorder.event(PersistentVolumeClaim, claim, { reason, message });
  }
}

/** @throws ProvisioningError */
function checkClaim({ cache }: ReconcileContext, { spec }: PersistentVolumeClaim): void {
  if (spec?.selector) throw new ProvisioningError('claim Selector is not supported');
  const source = spec?.dataSourceRef ?? spec?.dataSource;
  if (source)
    throw new ProvisioningError(
      `${source.kind} "${source.name}" cannot be copied here: create the claim without a data source and fill the volume from a pod`,
    );
  const attributes = spec?.volumeAttributesClassName;
  if (!attributes) return;
  const driver = cache.store(VolumeAttributesClass).get({ name: attributes })?.driverName;
  if (driver === undefined)
    throw new ProvisioningError(`volumeattributesclass.storage.k8s.io "${attributes}" not found`);
  if (driver !== provisioner)
    throw new ProvisioningError(
      `VAC ${attributes} referenced in PVC is for driver ${driver} which does not match driver name ${provisioner}`,
    );
}
