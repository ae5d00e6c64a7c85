import type { Pod } from '@coxswain/k8s';
import { CloneSet, type CloneSetStatus } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatSelector, keyOf, type Random, selectorFromField } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import {
  type RevisionOwner,
  type Revisions,
  revisionLabel,
  syncRevisions,
  truncateRevisions,
} from '../revision/revisions.ts';
import { claimPods, controlledPods, isActive, isPodReady, sooner, untilAvailable } from '../workload/pods.ts';
import { ignoreRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { type CloneFacts, isCloneAvailable, limitsOf } from './cloneset-plan.ts';
import { CloneScale } from './cloneset-scale.ts';
import { CloneUpdate } from './cloneset-update.ts';
import { failureCondition } from './failure-condition.ts';
import { isChanging } from './in-place.ts';

/** A CloneSet while it is looked at. */
export interface ClonePass {
  readonly context: ReconcileContext;
  readonly set: CloneSet;
  readonly revisions: Revisions;
  readonly facts: CloneFacts;
  wait: number | undefined;
}

function revisionOwner(set: CloneSet): RevisionOwner {
  return {
    kind: CloneSet,
    object: set,
    template: set.spec.template,
    selector: set.spec.selector,
    currentName: set.status?.currentRevision,
    collisionCount: set.status?.collisionCount ?? 0,
    historyLimit: set.spec.revisionHistoryLimit ?? 10,
  };
}

/**
 * Keeps interchangeable pods: scale with chosen victims and a hook before deletion, update in place or by replacing. Each pass takes one step: pods
 * are made or removed, or else moved on to the update revision.
 */
export class CloneSetReconciler implements Reconciler {
  readonly #scale: CloneScale;
  readonly #update: CloneUpdate;

  constructor(recorder: EventRecorder, random: Random) {
    this.#scale = new CloneScale(recorder, random);
    this.#update = new CloneUpdate(recorder);
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const set = context.cache.store(CloneSet).get(context.key);
    if (!set) return undefined;
    const owned = await claimPods(context, { kind: CloneSet, object: set, selector: set.spec.selector });
    const owner = revisionOwner(set);
    const revisions = await syncRevisions(context, owner);
    const facts: CloneFacts = {
      set,
      active: owned.filter(isActive),
      updateRevision: revisions.update.metadata.name,
      now: context.clock.now(),
    };
    const pass: ClonePass = { context, set, revisions, facts, wait: undefined };
    let failure: unknown;
    let told = set;
    try {
      if (!set.metadata.deletionTimestamp) await this.#step(pass);
      told = await forgetDeleted(pass);
    } catch (error) {
      failure = error;
    }
    await this.#report(pass, told, failure);
    const inUse = new Set(owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? ''));
    await truncateRevisions(context, owner, revisions, inUse);
    if (failure !== undefined) throw failure;
    return pass.wait === undefined ? undefined : { requeueAfter: pass.wait };
  }

  async #step(pass: ClonePass): Promise<void> {
    await this.#scale.cleanClaims(pass);
    // what was written brings no event of its own
    if ((await this.#scale.step(pass)) || (await this.#update.step(pass))) pass.wait = 0;
  }

  async #report(pass: ClonePass, set: CloneSet, failure: unknown): Promise<void> {
    const { context, revisions } = pass;
    const pods = controlledPods(context, set).filter(isActive);
    const { now } = pass.facts;
    const update = revisions.update.metadata.name;
    const { minReadySeconds = 0 } = set.spec;
    for (const pod of pods) pass.wait = sooner(pass.wait, untilAvailable(pod, minReadySeconds, now) || undefined);
    const isReady = (pod: Pod) => isPodReady(pod) && !isChanging(pod);
    const isAvailable = (pod: Pod) => isCloneAvailable(pod, minReadySeconds, now);
    const updated = pods.filter((pod) => pod.metadata.labels?.[revisionLabel] === update);
    const { replicas, partition } = limitsOf(set);
    const done = updated.length === pods.length && pods.length === replicas;
    const status: CloneSetStatus = {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: pods.length,
      readyReplicas: pods.filter(isReady).length,
      availableReplicas: pods.filter(isAvailable).length,
      updatedReplicas: updated.length,
      updatedReadyReplicas: updated.filter(isReady).length,
      updatedAvailableReplicas: updated.filter(isAvailable).length,
      expectedUpdatedReplicas: replicas - partition,
      updateRevision: update,
      currentRevision: done ? update : revisions.current.metadata.name,
      collisionCount: revisions.collisionCount,
      labelSelector: formatSelector(selectorFromField(set.spec.selector)),
      ...failureCondition('FailedScale', failure, set.status, now),
    };
    await writeStatus(context, CloneSet, set, status);
    // the old revision is history from now on
    if (status.currentRevision !== revisions.current.metadata.name) pass.wait = 0;
  }
}

/**
 * Takes names of pods that are gone off the list of those to delete. Answers the set as it is then: this write is one
 * that brings no event of its own, so what is told of the set in this pass must be of its new generation.
 */
async function forgetDeleted({ context, set }: ClonePass): Promise<CloneSet> {
  const named = set.spec.scaleStrategy?.podsToDelete ?? [];
  const pods = new Set(
    controlledPods(context, set)
      .filter(isActive)
      .map(({ metadata }) => metadata.name),
  );
  const podsToDelete = named.filter((name) => pods.has(name));
  if (podsToDelete.length === named.length) return set;
  const { uid, resourceVersion } = set.metadata;
  const scaleStrategy = { podsToDelete: podsToDelete.length > 0 ? podsToDelete : null };
  const changed = await context.client
    .of(CloneSet)
    .patch(keyOf(set), merge({ metadata: { uid, resourceVersion }, spec: { scaleStrategy } }))
    .catch(ignoreRace);
  return changed ?? set;
}
