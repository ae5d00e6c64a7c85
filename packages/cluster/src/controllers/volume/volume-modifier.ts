import { PersistentVolume, PersistentVolumeClaim, VolumeAttributesClass } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { writeStatus } from '../workload/write-status.ts';
import { provisionedBy, provisioner } from './names.ts';
import { withCondition } from './resize-conditions.ts';

const modifying = 'ModifyingVolume';

/** Gives bound volumes the attributes class that their claims ask for. */
export class VolumeModifier implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    // What it writes itself does not bring a claim back: after the announcement it goes on with the deed.
    if (await this.#step(context)) await this.#step(context);
    return undefined;
  }

  /** Answers whether the claim is another now. */
  async #step(context: ReconcileContext): Promise<boolean> {
    const { cache } = context;
    const claim = cache.store(PersistentVolumeClaim).get(context.key);
    const target = claim?.spec?.volumeAttributesClassName;
    if (claim?.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp || !target) return false;
    if (claim.status.currentVolumeAttributesClassName === target) return false;
    const volume = cache.store(PersistentVolume).get({ name: claim.spec?.volumeName ?? '' });
    if (volume?.metadata.annotations?.[provisionedBy] !== provisioner) return false;
    const attributes = cache.store(VolumeAttributesClass).get({ name: target });
    if (!attributes) await this.#wait(context, claim, target);
    return attributes?.driverName === provisioner && this.#modify(context, claim, volume, target);
  }

  /** The class brings the claim back when it comes. */
  async #wait(context: ReconcileContext, claim: PersistentVolumeClaim, target: string): Promise<void> {
    const modifyVolumeStatus = { status: 'Pending', targetVolumeAttributesClassName: target };
    const wrote = await this.#write(context, claim, { ...claim.status, modifyVolumeStatus });
    if (wrote) this.#tell(claim, 'Warning', 'VolumeModifyFailed', `VAC ${target} does not exist`);
  }

  async #modify(
    context: ReconcileContext,
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
    target: string,
  ): Promise<boolean> {
    const { modifyVolumeStatus, ...status } = claim.status ?? {};
    const { name, uid } = volume.metadata;
    if (modifyVolumeStatus?.status !== 'InProgress' || modifyVolumeStatus.targetVolumeAttributesClassName !== target) {
      this.#tell(claim, 'Normal', 'VolumeModify', `external resizer is modifying volume ${name} with vac ${target}`);
      await this.#write(context, claim, {
        ...status,
        conditions: withCondition(status.conditions ?? [], modifying, context.clock.now()),
        modifyVolumeStatus: { status: 'InProgress', targetVolumeAttributesClassName: target },
      });
      return true;
    }
    const body = merge({ metadata: { uid }, spec: { volumeAttributesClassName: target } });
    await context.client.of(PersistentVolume).patch(keyOf(volume), body);
    const wrote = await this.#write(context, claim, {
      ...status,
      currentVolumeAttributesClassName: target,
      conditions: (status.conditions ?? []).filter(({ type }) => type !== modifying),
    });
    const message = `external resizer modified volume ${name} with vac ${target} successfully`;
    if (wrote) this.#tell(claim, 'Normal', 'VolumeModifySuccessful', message);
    return wrote;
  }

  #write(
    context: ReconcileContext,
    claim: PersistentVolumeClaim,
    status: NonNullable<PersistentVolumeClaim['status']>,
  ) {
    return writeStatus(context, PersistentVolumeClaim, claim, status, { sameVersion: true });
  }

  #tell(claim: PersistentVolumeClaim, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#recorder.event(PersistentVolumeClaim, claim, { type, reason, message });
  }
}
