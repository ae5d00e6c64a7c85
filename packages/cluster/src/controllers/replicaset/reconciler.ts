import { type Kind, type LabelSelector, Pod, type ReplicaSet, type ReplicationController } from '@coxswain/k8s';
import type { Client } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext, type Reconciler, type Result } from '@coxswain/runtime/controller';
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
import { isRace, isTerminatingNamespace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';

/** Most pods made or removed in one pass. */
const burst = 500;

/** So many pods of one template, in either form. */
export type Replicas = ReplicaSet | ReplicationController;

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Condition = NonNullable<NonNullable<Replicas['status']>['conditions']>[number];

/** How the two forms differ. */
export interface ReplicasKind<T extends Replicas> {
  readonly kind: Kind<T>;
  selectorOf(set: T): LabelSelector;
  /** Fields of the status that only this form has. */
  status(tally: PodTally): object;
}

/** A failure is told once, as it was when it began, until it is over. */
function failureCondition(set: Replicas, failure: Failure | undefined, now: number): readonly Condition[] {
  const conditions = set.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === 'ReplicaFailure');
  if (!failure) return conditions.filter((condition) => condition !== before);
  if (before) return conditions;
  const { reason } = failure;
  const message = textOf(failure.error);
  const lastTransitionTime = formatTime(now);
  return [...conditions, { type: 'ReplicaFailure', status: 'True', reason, message, lastTransitionTime }];
}

/** What kept a pass from making or removing pods. */
interface Failure {
  readonly reason: 'FailedCreate' | 'FailedDelete';
  readonly error: unknown;
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
    let failure: Failure | undefined;
    try {
      if (difference > 0) await this.#create(context, set, Math.min(difference, burst));
      if (difference < 0) await this.#remove(context, set, active, Math.min(-difference, burst));
    } catch (error) {
      failure = { reason: difference > 0 ? 'FailedCreate' : 'FailedDelete', error };
    }
    let wait: number | undefined;
    // a set that had no pods has nothing to say before they are there
    if (failure || difference === 0 || owned.length > 0)
      wait = await this.#report(context, set, owned, isRace(failure?.error) ? undefined : failure);
    if (failure) throw failure.error;
    // what was too much for one pass comes in the next
    if (Math.abs(difference) > burst) return { requeueAfter: 0 };
    const counted = difference === 0 ? undefined : context.cache.store(this.#form.kind).get(context.key);
    // first what the pass began with was said, now what it has made of it
    if (counted) wait = await this.#report(context, counted, controlledPods(context, counted), undefined);
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
    const one = () => this.#createOne(client, set, pod);
    // one, two, four … at once: what is wrong with all of them fails once, not as often as there are pods
    for (let left = count, batch = 1; left > 0; left -= batch, batch *= 2) {
      const results = await Promise.allSettled(Array.from({ length: Math.min(batch, left) }, one));
      const failed = results.find((result) => result.status === 'rejected');
      if (failed) throw failed.reason;
    }
  }

  async #createOne(client: Client, set: T, pod: Pod): Promise<void> {
    try {
      const { metadata } = await client.of(Pod).create(pod);
      this.#tell(set, 'SuccessfulCreate', `Created pod: ${metadata.name}`);
    } catch (error) {
      // where everything goes nothing is missed
      if (isTerminatingNamespace(error)) return;
      if (!isRace(error)) this.#tell(set, 'FailedCreate', `Error creating: ${textOf(error)}`);
      throw error;
    }
  }

  async #remove(context: ReconcileContext, set: T, active: readonly Pod[], count: number): Promise<void> {
    const { client, clock } = context;
    const order = byDeletionOrder(countByNode(this.#siblings(context, set, active)), clock.now());
    const victims = count < active.length ? [...active].sort(order).slice(0, count) : active;
    const results = await Promise.allSettled(
      victims.map(async (pod) => {
        try {
          await deletePod(client, pod);
          this.#tell(set, 'SuccessfulDelete', `Deleted pod: ${pod.metadata.name}`);
        } catch (error) {
          this.#tell(set, 'FailedDelete', `Error deleting: ${textOf(error)}`);
          throw new Error(`unable to delete pods: ${textOf(error)}`, { cause: error });
        }
      }),
    );
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
  }

  /** Pods of the same owner, such as a Deployment's other ReplicaSets: a node that has several of them can spare one. */
  #siblings({ cache }: ReconcileContext, set: T, active: readonly Pod[]): readonly Pod[] {
    const owner = controllerOf(set);
    if (!owner) return active;
    const sets = [...cache.store(this.#form.kind).list({ namespace: set.metadata.namespace ?? '' })].filter(
      (one) => controllerOf(one)?.uid === owner.uid,
    );
    const pods = cache.store(Pod);
    return sets.flatMap(({ metadata }) => [...pods.by('controller', metadata.uid ?? '')].filter(isActive));
  }

  #tell(set: T, reason: string, message: string): void {
    const type = reason.startsWith('Failed') ? 'Warning' : 'Normal';
    this.#recorder.event(this.#form.kind, set, { type, reason, message });
  }

  /**
   * Writes the status; answers the milliseconds until time alone changes it.
   */
  async #report(
    context: ReconcileContext,
    set: T,
    pods: readonly Pod[],
    failure: Failure | undefined,
  ): Promise<number | undefined> {
    const now = context.clock.now();
    const tally = tallyPods(pods, set.spec?.minReadySeconds ?? 0, now);
    const template = selectorFromLabels(set.spec?.template?.metadata?.labels ?? {});
    const labelled = pods.filter((pod) => isActive(pod) && matchesLabels(template, pod.metadata.labels));
    const conditions = failureCondition(set, failure, now);
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
