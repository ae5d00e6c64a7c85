import { Deployment, Pod, ReplicaSet } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext, type Reconciler, type Result } from '@coxswain/runtime/controller';
import { deepEqual, isAlreadyExists, isConflict, isNotFound, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { isActive } from '../workload/pods.ts';
import {
  hasTemplate,
  inheritedAnnotations,
  newReplicaSet,
  revisionAnnotation,
  revisionOf,
  sizeAnnotations,
} from './replica-sets.ts';
import { leewayOf, newSize, oldSizes, proportionalSizes } from './sizes.ts';
import { deploymentStatus, untilDeadline } from './status.ts';

const sizeOf = (set: ReplicaSet) => set.spec?.replicas ?? 0;

/** Rolls a Deployment's pods from template to template through one ReplicaSet each. */
export class DeploymentReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const { cache, clock, key } = context;
    const deployment = cache.store(Deployment).get(key);
    if (!deployment?.spec) return undefined;
    const before = this.#setsOf(context, deployment);
    if (!deployment.metadata.deletionTimestamp) await this.#roll(context, deployment, before);
    const all = this.#setsOf(context, deployment);
    const current = all.find((set) => hasTemplate(set, deployment));
    const status = deploymentStatus(deployment, current, all, leewayOf(deployment), clock.now());
    if (!deepEqual(status, deployment.status)) await this.#writeStatus(context, deployment, status);
    const wait = untilDeadline({ ...deployment, status }, clock.now());
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  /** Oldest first. */
  #setsOf({ cache }: ReconcileContext, deployment: Deployment): ReplicaSet[] {
    const sets = [...cache.store(ReplicaSet).by('owner', deployment.metadata.uid ?? '')].filter(
      (set) => controllerOf(set)?.uid === deployment.metadata.uid,
    );
    return sets.sort((a, b) => revisionOf(a) - revisionOf(b) || a.metadata.name.localeCompare(b.metadata.name));
  }

  async #roll(context: ReconcileContext, deployment: Deployment, sets: readonly ReplicaSet[]): Promise<void> {
    const wanted = deployment.spec?.replicas ?? 1;
    const leeway = leewayOf(deployment);
    const found = sets.find((set) => hasTemplate(set, deployment));
    const old = sets.filter((set) => set !== found);
    if (deployment.spec?.paused) return this.#scaleProportionally(context, deployment, sets, wanted);
    const recreate = deployment.spec?.strategy?.type === 'Recreate';
    if (recreate) {
      for (const set of old) if (sizeOf(set) > 0) await this.#scale(context, deployment, set, 0);
      if (this.#podsLeft(context, old)) return;
    }
    const current = await this.#ensureCurrent(context, deployment, found, sets);
    if (!current) return;
    if (recreate) {
      if (sizeOf(current) !== wanted) await this.#scale(context, deployment, current, wanted);
    } else {
      const size = newSize(wanted, current, [current, ...old], leeway);
      if (size !== sizeOf(current)) await this.#scale(context, deployment, current, size);
      for (const [set, left] of oldSizes(
        wanted,
        current,
        old.filter((set) => sizeOf(set) > 0),
        leeway,
      ))
        if (left !== sizeOf(set)) await this.#scale(context, deployment, set, left);
    }
    await this.#forgetHistory(context, deployment, old);
  }

  #podsLeft({ cache }: ReconcileContext, sets: readonly ReplicaSet[]): boolean {
    return sets.some((set) =>
      [...cache.store(Pod).by('owner', set.metadata.uid ?? '')].some(
        (pod) => isActive(pod) || pod.metadata.deletionTimestamp,
      ),
    );
  }

  async #scaleProportionally(
    context: ReconcileContext,
    deployment: Deployment,
    sets: readonly ReplicaSet[],
    wanted: number,
  ): Promise<void> {
    const active = sets.filter((set) => sizeOf(set) > 0);
    const targets = active.length > 0 ? active : sets.slice(-1);
    if (targets.length === 0 || targets.reduce((sum, set) => sum + sizeOf(set), 0) === wanted) return;
    const sizes = active.length > 0 ? proportionalSizes(wanted, active) : new Map(targets.map((set) => [set, wanted]));
    for (const [set, size] of sizes) if (size !== sizeOf(set)) await this.#scale(context, deployment, set, size);
  }

  async #ensureCurrent(
    context: ReconcileContext,
    deployment: Deployment,
    found: ReplicaSet | undefined,
    sets: readonly ReplicaSet[],
  ): Promise<ReplicaSet | undefined> {
    const newest = Math.max(0, ...sets.filter((set) => set !== found).map(revisionOf));
    const revision = String(found && revisionOf(found) > newest ? revisionOf(found) : newest + 1);
    const wanted = deployment.spec?.replicas ?? 1;
    const annotations = {
      [revisionAnnotation]: revision,
      ...sizeAnnotations(wanted, wanted + leewayOf(deployment).surge),
    };
    await this.#setRevision(context, deployment, revision);
    if (found)
      return this.#refresh(context, deployment, found, { ...inheritedAnnotations(deployment), ...annotations });
    const old = sets.filter((set) => sizeOf(set) > 0);
    const room = wanted + leewayOf(deployment).surge - old.reduce((sum, set) => sum + sizeOf(set), 0);
    const size = deployment.spec?.strategy?.type === 'Recreate' ? wanted : Math.max(0, Math.min(wanted, room));
    try {
      const created = await context.client.of(ReplicaSet).create(newReplicaSet(deployment, size, annotations));
      this.#recorder.event(Deployment, deployment, {
        reason: 'ScalingReplicaSet',
        message: `Scaled up replica set ${created.metadata.name} from 0 to ${size}`,
      });
      return created;
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#resolveCollision(context, deployment);
      return undefined;
    }
  }

  /** Another template hashed to the same name: count up, so that the next pass takes another name. */
  async #resolveCollision(context: ReconcileContext, deployment: Deployment): Promise<void> {
    const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
    await this.#writeStatus(context, deployment, { collisionCount });
  }

  async #refresh(
    { client }: ReconcileContext,
    deployment: Deployment,
    set: ReplicaSet,
    annotations: Record<string, string>,
  ): Promise<ReplicaSet> {
    const sameAnnotations = Object.entries(annotations).every(
      ([key, value]) => set.metadata.annotations?.[key] === value,
    );
    const minReadySeconds = deployment.spec?.minReadySeconds ?? 0;
    if (sameAnnotations && (set.spec?.minReadySeconds ?? 0) === minReadySeconds) return set;
    return client.of(ReplicaSet).patch(keyOf(set), merge({ metadata: { annotations }, spec: { minReadySeconds } }));
  }

  async #setRevision({ client, key }: ReconcileContext, deployment: Deployment, revision: string): Promise<void> {
    if (deployment.metadata.annotations?.[revisionAnnotation] === revision) return;
    await client
      .of(Deployment)
      .patch(
        key,
        merge({ metadata: { uid: deployment.metadata.uid, annotations: { [revisionAnnotation]: revision } } }),
      );
  }

  async #scale({ client }: ReconcileContext, deployment: Deployment, set: ReplicaSet, size: number): Promise<void> {
    const wanted = deployment.spec?.replicas ?? 1;
    const annotations = sizeAnnotations(wanted, wanted + leewayOf(deployment).surge);
    await client
      .of(ReplicaSet)
      .patch(keyOf(set), merge({ metadata: { uid: set.metadata.uid, annotations }, spec: { replicas: size } }));
    const direction = size > sizeOf(set) ? 'up' : 'down';
    this.#recorder.event(Deployment, deployment, {
      reason: 'ScalingReplicaSet',
      message: `Scaled ${direction} replica set ${set.metadata.name} from ${sizeOf(set)} to ${size}`,
    });
  }

  async #forgetHistory(
    { client }: ReconcileContext,
    deployment: Deployment,
    old: readonly ReplicaSet[],
  ): Promise<void> {
    const limit = deployment.spec?.revisionHistoryLimit ?? 10;
    const idle = old.filter(
      (set) =>
        sizeOf(set) === 0 &&
        (set.status?.replicas ?? 0) === 0 &&
        (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0) &&
        !set.metadata.deletionTimestamp,
    );
    for (const set of idle.slice(0, Math.max(0, idle.length - limit)))
      await client
        .of(ReplicaSet)
        .delete(keyOf(set))
        .catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
  }

  async #writeStatus({ client, key }: ReconcileContext, deployment: Deployment, status: object): Promise<void> {
    await client
      .of(Deployment)
      .patch(key, merge({ metadata: { uid: deployment.metadata.uid }, status }), { subresource: 'status' })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
  }
}
