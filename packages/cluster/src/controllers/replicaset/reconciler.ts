import { Pod, ReplicaSet, type ReplicaSetCondition, type ReplicaSetStatus } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext, type Reconciler, type Result } from '@coxswain/runtime/controller';
import {
  deepEqual,
  formatTime,
  isConflict,
  isNotFound,
  matchesLabels,
  selectorFromLabels,
} from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { byDeletionOrder, countByNode } from '../workload/deletion-order.ts';
import { claimPods, deletePod, isActive, isPodReady, podFromTemplate, untilAvailable } from '../workload/pods.ts';

/** Most pods made or removed in one pass. */
const burst = 500;

function nextAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods
    .map((pod) => untilAvailable(pod, minReadySeconds, now))
    .filter((wait) => wait !== undefined && wait > 0);
  return waits.length > 0 ? Math.min(...waits.map((wait) => wait ?? 0)) : undefined;
}

function failureCondition(
  set: ReplicaSet,
  error: unknown,
  reason: string,
  now: number,
): readonly ReplicaSetCondition[] {
  const others = (set.status?.conditions ?? []).filter(({ type }) => type !== 'ReplicaFailure');
  if (error === undefined) return others;
  const before = set.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  return [
    ...others,
    {
      type: 'ReplicaFailure',
      status: 'True',
      reason,
      message: String(error instanceof Error ? error.message : error),
      lastTransitionTime: before?.lastTransitionTime ?? formatTime(now),
    },
  ];
}

/** Keeps the number of pods of a ReplicaSet what its spec says. */
export class ReplicaSetReconciler implements Reconciler {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const set = context.cache.store(ReplicaSet).get(context.key);
    if (!set?.spec) return undefined;
    const owned = await claimPods(context, { kind: ReplicaSet, object: set, selector: set.spec.selector });
    const active = owned.filter(isActive);
    const difference = set.metadata.deletionTimestamp ? 0 : (set.spec.replicas ?? 1) - active.length;
    let failure: unknown;
    try {
      if (difference > 0) await this.#create(context, set, Math.min(difference, burst));
      if (difference < 0) await this.#remove(context, set, active, Math.min(-difference, burst));
    } catch (error) {
      failure = error;
    }
    const now = context.clock.now();
    await this.#report(context, set, owned, failure, difference > 0 ? 'FailedCreate' : 'FailedDelete');
    if (failure !== undefined) throw failure;
    const wait = nextAvailable(active, set.spec.minReadySeconds ?? 0, now);
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  async #create({ client }: ReconcileContext, set: ReplicaSet, count: number): Promise<void> {
    const template = set.spec?.template ?? {};
    const pod = podFromTemplate({ kind: ReplicaSet, object: set, selector: set.spec?.selector ?? {} }, template, {
      generateName: `${set.metadata.name}-`,
    });
    for (let i = 0; i < count; i++) {
      try {
        const created = await client.of(Pod).create(pod);
        this.#recorder.event(ReplicaSet, set, {
          reason: 'SuccessfulCreate',
          message: `Created pod: ${created.metadata.name}`,
        });
      } catch (error) {
        this.#recorder.event(ReplicaSet, set, {
          type: 'Warning',
          reason: 'FailedCreate',
          message: `Error creating: ${error instanceof Error ? error.message : error}`,
        });
        throw error;
      }
    }
  }

  async #remove({ client }: ReconcileContext, set: ReplicaSet, active: readonly Pod[], count: number): Promise<void> {
    const order = byDeletionOrder(countByNode(active));
    for (const pod of [...active].sort(order).slice(0, count)) {
      await deletePod(client, pod);
      this.#recorder.event(ReplicaSet, set, {
        reason: 'SuccessfulDelete',
        message: `Deleted pod: ${pod.metadata.name}`,
      });
    }
  }

  async #report(
    { cache, client, clock, key }: ReconcileContext,
    set: ReplicaSet,
    owned: readonly Pod[],
    failure: unknown,
    reason: string,
  ): Promise<void> {
    // the store already shows what this pass made and removed
    const pods = [...cache.store(Pod).by('owner', set.metadata.uid ?? '')].filter(
      (pod) => isActive(pod) && controllerOf(pod)?.uid === set.metadata.uid,
    );
    const ready = pods.filter(isPodReady);
    const template = selectorFromLabels(set.spec?.template?.metadata?.labels ?? {});
    const conditions = failureCondition(set, failure, reason, clock.now());
    const terminating = owned.filter(({ metadata }) => metadata.deletionTimestamp).length;
    const status: ReplicaSetStatus = {
      replicas: pods.length,
      fullyLabeledReplicas: pods.filter(({ metadata }) => matchesLabels(template, metadata.labels)).length,
      readyReplicas: ready.length,
      availableReplicas: ready.filter((pod) => untilAvailable(pod, set.spec?.minReadySeconds ?? 0, clock.now()) === 0)
        .length,
      terminatingReplicas: terminating,
      observedGeneration: set.metadata.generation ?? 0,
      ...(conditions.length > 0 || set.status?.conditions ? { conditions } : {}),
    };
    if (deepEqual(set.status, status)) return;
    await client
      .of(ReplicaSet)
      .patch(key, merge({ metadata: { uid: set.metadata.uid }, status }), { subresource: 'status' })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
  }
}
