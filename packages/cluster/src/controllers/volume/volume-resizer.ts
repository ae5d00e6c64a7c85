import { PersistentVolume, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { compareQuantities, keyOf, parseQuantity } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { writeStatus } from '../workload/write-status.ts';
import { preResizeCapacity, provisionedBy, provisioner, requestedSize, volumeSize } from './names.ts';
import { isTerminated, podsByClaim } from './pod-claims.ts';
import { withCondition, withoutResize } from './resize-conditions.ts';

type Status = NonNullable<PersistentVolumeClaim['status']>;

const pendingMessage = 'Waiting for user to (re-)start a pod to finish file system resize of volume on node.';

function isSmaller(a: string, b: string): boolean {
  return compareQuantities(parseQuantity(a), parseQuantity(b)) < 0;
}

/** Of one resize: the volume, what is to be done on the node, the file system, and the old size is forgotten. */
const mostSteps = 4;

/** Pods that mount a claim: `started` when the volume is in use on a node, so that it can grow there. */
function mountsOf({ cache, key }: ReconcileContext): { readonly some: boolean; readonly started: readonly Pod[] } {
  const pods = [...cache.store(Pod).by(podsByClaim, `${key.namespace}/${key.name}`)];
  const active = pods.filter((pod) => pod.spec?.nodeName && !isTerminated(pod));
  return { some: active.length > 0, started: active.filter(({ status }) => status?.phase === 'Running') };
}

/**
 * Grows bound volumes to what their claims ask for, in the steps of an external resizer and of the kubelet: the volume first, then the
 * file system, once a pod that mounts it runs. A volume that nobody mounts needs no node for it.
 */
export class VolumeResizer implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    // What it writes itself does not bring a claim back, so it goes on until there is nothing to do for now.
    for (let steps = 0; steps < mostSteps && (await this.#step(context)); ) steps++;
    return undefined;
  }

  /** Answers whether the claim is another now. */
  async #step(context: ReconcileContext): Promise<boolean> {
    const claim = context.cache.store(PersistentVolumeClaim).get(context.key);
    if (claim?.status?.phase !== 'Bound' || claim.metadata.deletionTimestamp) return false;
    const volume = context.cache.store(PersistentVolume).get({ name: claim.spec?.volumeName ?? '' });
    if (!volume || volume.spec?.claimRef?.uid !== claim.metadata.uid) return false;
    const have = claim.status.capacity?.['storage'] ?? '0';
    if (!isSmaller(have, requestedSize(claim))) return this.#forgetOldSize(context, volume);
    if (volume.metadata.annotations?.[provisionedBy] !== provisioner) {
      this.#tell(claim, 'ExternalExpanding', 'waiting for an external controller to expand this PVC');
      return false;
    }
    const grows = isSmaller(volumeSize(volume), requestedSize(claim));
    return grows ? this.#growVolume(context, claim, volume) : this.#growFileSystem(context, claim, volume);
  }

  async #growVolume(
    context: ReconcileContext,
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
  ): Promise<boolean> {
    const { client, clock } = context;
    const { name } = volume.metadata;
    const wanted = requestedSize(claim);
    this.#tell(claim, 'ExternalExpanding', 'waiting for an external controller to expand this PVC');
    this.#tell(claim, 'Resizing', `External resizer is resizing volume ${name}`);
    const status = claim.status ?? {};
    await this.#write(context, claim, {
      ...status,
      conditions: withCondition(withoutResize(status.conditions ?? []), 'Resizing', clock.now()),
      allocatedResources: { ...status.allocatedResources, storage: wanted },
      allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: 'ControllerResizeInProgress' },
    });
    // The annotation says what the file system still has.
    const before =
      volume.metadata.annotations?.[preResizeCapacity] ?? status.capacity?.['storage'] ?? volumeSize(volume);
    const metadata = { uid: volume.metadata.uid, annotations: { [preResizeCapacity]: before } };
    await client
      .of(PersistentVolume)
      .patch(keyOf(volume), merge({ metadata, spec: { capacity: { storage: wanted } } }));
    return true;
  }

  async #growFileSystem(
    context: ReconcileContext,
    claim: PersistentVolumeClaim,
    volume: PersistentVolume,
  ): Promise<boolean> {
    const { some, started } = mountsOf(context);
    const status = claim.status ?? {};
    const pending = status.allocatedResourceStatuses?.['storage'] === 'NodeResizePending';
    if (some && !pending) {
      this.#tell(claim, 'FileSystemResizeRequired', 'Require file system resize of volume on node');
      await this.#write(context, claim, {
        ...status,
        conditions: withCondition(
          status.conditions ?? [],
          'FileSystemResizePending',
          context.clock.now(),
          pendingMessage,
        ),
        allocatedResourceStatuses: { ...status.allocatedResourceStatuses, storage: 'NodeResizePending' },
      });
      return true;
    }
    if (some && started.length === 0) return false;
    const { storage: _done, ...left } = status.allocatedResourceStatuses ?? {};
    const { allocatedResourceStatuses: _all, ...rest } = status;
    const wrote = await this.#write(context, claim, {
      ...rest,
      capacity: { ...status.capacity, storage: volumeSize(volume) },
      conditions: withoutResize(status.conditions ?? []),
      ...(Object.keys(left).length > 0 ? { allocatedResourceStatuses: left } : {}),
    });
    if (wrote) this.#tellOfSuccess(claim, volume, started);
    return wrote;
  }

  #tellOfSuccess(claim: PersistentVolumeClaim, volume: PersistentVolume, pods: readonly Pod[]): void {
    const [pod] = pods;
    if (!pod) {
      this.#tell(claim, 'VolumeResizeSuccessful', 'Resize volume succeeded');
      return;
    }
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume.metadata.name}" ${pod.spec?.nodeName}`;
    this.#tell(claim, 'FileSystemResizeSuccessful', message);
    this.#recorder.event(Pod, pod, { reason: 'FileSystemResizeSuccessful', message });
  }

  async #forgetOldSize({ client }: ReconcileContext, volume: PersistentVolume): Promise<boolean> {
    if (volume.metadata.annotations?.[preResizeCapacity] === undefined) return false;
    const metadata = { uid: volume.metadata.uid, annotations: { [preResizeCapacity]: null } };
    await client.of(PersistentVolume).patch(keyOf(volume), merge({ metadata }));
    return true;
  }

  /** Others write conditions too, so nothing is written over what has not been seen. */
  #write(context: ReconcileContext, claim: PersistentVolumeClaim, status: Status): Promise<boolean> {
    return writeStatus(context, PersistentVolumeClaim, claim, status, { sameVersion: true });
  }

  #tell(claim: PersistentVolumeClaim, reason: string, message: string): void {
    this.#recorder.event(PersistentVolumeClaim, claim, { reason, message });
  }
}
