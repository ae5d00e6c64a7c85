import { type Kind, type LabelSelector, Pod, type ReplicaSet, type ReplicationController } from '@coxswain/k8s';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, keyString, matchesLabels, selectorFromLabels } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import type { Workload } from '../workload/claim.ts';
import { byDeletionOrder, countByNode } from '../workload/deletion-order.ts';
import { Pace } from '../workload/pace.ts';
import {
  claimPods,
  controlledPods,
  deletePod,
  isActive,
  type PodTally,
  podFromTemplate,
  tallyPods,
} from '../workload/pods.ts';
import { isRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';

/** Most pods made or removed in one pass. */
const burst = 500;

/** So many pods of one template, in either form. */
export type Replicas = ReplicaSet | ReplicationController;

type Condition = NonNullable<NonNullable<Replicas['status']>['conditions']>[number];

/** How the two forms differ. */
export interface ReplicasKind<T extends Replicas> {
  readonly kind: Kind<T>;
  selectorOf(set: T): LabelSelector;
  /** Fields of the status that only this form has. */
  status(tally: PodTally): object;
}

function failureCondition(set: Replicas, error: unknown, reason: string, now: number): readonly Condition[] {
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

/** Keeps the number of pods of a ReplicaSet or ReplicationController what its spec says. */
export class ReplicasReconciler<T extends Replicas> implements Reconciler {
  readonly #form: ReplicasKind<T>;
  readonly #recorder: EventRecorder;
  readonly #pace = new Pace();

  constructor(form: ReplicasKind<T>, recorder: EventRecorder) {
    this.#form = form;
    this.#recorder = recorder;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const set = context.cache.store(this.#form.kind).get(context.key);
    const name = keyString(context.key);
    if (!set?.spec) {
      this.#pace.forget(name);
      return undefined;
    }
    const rest = this.#pace.rest(name, set.status?.replicas ?? 0, context.clock.monotonic());
    if (rest > 0) return { requeueAfter: rest };
    const owned = await claimPods(context, this.#workload(set));
    const active = owned.filter(isActive);
    const difference = set.metadata.deletionTimestamp ? 0 : (set.spec.replicas ?? 1) - active.length;
    let failure: unknown;
    try {
      if (difference > 0) await this.#create(context, set, Math.min(difference, burst));
      if (difference < 0) await this.#remove(context, set, active, Math.min(-difference, burst));
    } catch (error) {
      failure = error;
    }
    const reason = difference > 0 ? 'FailedCreate' : 'FailedDelete';
    const wait = await this.#report(context, set, isRace(failure) ? undefined : failure, reason);
    if (failure !== undefined) throw failure;
    // what was too much for one pass comes in the next
    if (Math.abs(difference) > burst) return { requeueAfter: 0 };
    return wait === undefined ? undefined : { requeueAfter: wait };
  }

  #workload(set: T): Workload {
    return { kind: this.#form.kind, object: set, selector: this.#form.selectorOf(set) };
  }

  async #create({ client }: ReconcileContext, set: T, count: number): Promise<void> {
    const template = set.spec?.template ?? {};
    const pod = podFromTemplate(this.#workload(set), template, {
      generateName: `${set.metadata.name}-`,
    });
    for (let i = 0; i < count; i++) {
      try {
        const created = await client.of(Pod).create(pod);
        this.#recorder.event(this.#form.kind, set, {
          reason: 'SuccessfulCreate',
          message: `Created pod: ${created.metadata.name}`,
        });
      } catch (error) {
        if (isRace(error)) throw error;
        this.#recorder.event(this.#form.kind, set, {
          type: 'Warning',
          reason: 'FailedCreate',
          message: `Error creating: ${error instanceof Error ? error.message : error}`,
        });
        throw error;
      }
    }
  }

  async #remove({ client, clock }: ReconcileContext, set: T, active: readonly Pod[], count: number): Promise<void> {
    const order = byDeletionOrder(countByNode(active), clock.now());
    for (const pod of [...active].sort(order).slice(0, count)) {
      await deletePod(client, pod);
      this.#recorder.event(this.#form.kind, set, {
        reason: 'SuccessfulDelete',
        message: `Deleted pod: ${pod.metadata.name}`,
      });
    }
  }

  /** Writes the status; answers the milliseconds until time alone changes it. */
  async #report(context: ReconcileContext, set: T, failure: unknown, reason: string): Promise<number | undefined> {
    const now = context.clock.now();
    // the store already shows what this pass made and removed
    const pods = controlledPods(context, set);
    const tally = tallyPods(pods, set.spec?.minReadySeconds ?? 0, now);
    const template = selectorFromLabels(set.spec?.template?.metadata?.labels ?? {});
    const labelled = pods.filter((pod) => isActive(pod) && matchesLabels(template, pod.metadata.labels));
    const conditions = failureCondition(set, failure, reason, now);
    const status = {
      replicas: tally.active,
      fullyLabeledReplicas: labelled.length,
      readyReplicas: tally.ready,
      availableReplicas: tally.available,
      ...this.#form.status(tally),
      observedGeneration: set.metadata.generation ?? 0,
      ...(conditions.length > 0 || set.status?.conditions ? { conditions } : {}),
    };
    await writeStatus(context, this.#form.kind, set, status);
    return tally.wait;
  }
}
