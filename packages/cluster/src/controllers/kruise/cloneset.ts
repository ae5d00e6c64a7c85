import { type ControllerRevision, Pod } from '@coxswain/k8s';
import { CloneSet, type CloneSetStatus } from '@coxswain/k8s/kruise';
import { merge } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext, type Reconciler, type Result } from '@coxswain/runtime/controller';
import {
  deepEqual,
  formatSelector,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type Random,
  randomSuffix,
  selectorFromField,
} from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import {
  type RevisionOwner,
  type Revisions,
  revisionLabel,
  syncRevisions,
  truncateRevisions,
} from '../revision/revisions.ts';
import { claimPods, deletePod, isActive, isPodReady, untilAvailable } from '../workload/pods.ts';
import { planClones, specifiedDelete } from './cloneset-plan.ts';
import { claimsOf, clonePod, deleteClaim, ensureCloneClaims, instanceIdOf } from './cloneset-pods.ts';
import { openPodReady, podReadyGate } from './dress.ts';
import { changeInPlace, isChanging, openGate, patchMetadata, setGate } from './in-place.ts';
import { isHooked, lifecycleOf, setLifecycle } from './lifecycle.ts';

interface Pass {
  readonly context: ReconcileContext;
  readonly set: CloneSet;
  readonly revisions: Revisions;
  wait: number | undefined;
}

function sooner(pass: Pass, wait: number | undefined): void {
  if (wait !== undefined && wait > 0) pass.wait = pass.wait === undefined ? wait : Math.min(pass.wait, wait);
}

function revisionOwner(set: CloneSet): RevisionOwner {
  return {
    kind: CloneSet,
    object: set,
    template: set.spec.template,
    labels: { ...set.spec.selector.matchLabels },
    currentName: set.status?.currentRevision,
    historyLimit: set.spec.revisionHistoryLimit ?? 10,
  };
}

/** Keeps interchangeable pods: scale with chosen victims and a hook before deletion, update in place or by replacing. */
export class CloneSetReconciler implements Reconciler {
  readonly #recorder: EventRecorder;
  readonly #random: Random;

  constructor(recorder: EventRecorder, random: Random) {
    this.#recorder = recorder;
    this.#random = random;
  }

  async reconcile(context: ReconcileContext): Promise<Result> {
    const set = context.cache.store(CloneSet).get(context.key);
    if (!set) return undefined;
    const owned = await claimPods(context, { kind: CloneSet, object: set, selector: set.spec.selector });
    const owner = revisionOwner(set);
    const revisions = await syncRevisions(context, owner);
    const pass: Pass = { context, set, revisions, wait: undefined };
    if (!set.metadata.deletionTimestamp) await this.#converge(pass, owned.filter(isActive));
    await truncateRevisions(
      context,
      owner,
      revisions,
      new Set(owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? '')),
    );
    await this.#report(pass);
    return pass.wait === undefined ? undefined : { requeueAfter: pass.wait };
  }

  async #converge(pass: Pass, active: readonly Pod[]): Promise<void> {
    const { context, set, revisions } = pass;
    for (const pod of active) await this.#settle(pass, pod);
    const now = context.clock.now();
    for (const pod of active) sooner(pass, untilAvailable(pod, set.spec.minReadySeconds ?? 0, now));
    const plan = planClones({ set, active, updateRevision: revisions.update.metadata.name, now });
    const reuse = set.spec.scaleStrategy?.disablePVCReuse !== true;
    for (const pod of plan.specified) await this.#remove(pass, pod, !reuse);
    for (const pod of plan.shrink) await this.#remove(pass, pod, true);
    const ids = this.#freeIds(pass, active);
    for (let i = 0; i < plan.create.current; i++) await this.#create(pass, revisions.current, ids);
    for (let i = 0; i < plan.create.update; i++) await this.#create(pass, revisions.update, ids);
    if (plan.create.current + plan.create.update === 0)
      for (const claim of claimsOf(context, set))
        if (ids.includes(instanceIdOf(claim))) await deleteClaim(context, claim);
    for (const pod of plan.change) await this.#change(pass, pod);
  }

  /** Opens gates, and brings a pod whose change in place is complete back to Normal. */
  async #settle({ context, set }: Pass, pod: Pod): Promise<void> {
    await openPodReady(context, pod);
    await openGate(context, pod);
    const state = lifecycleOf(pod);
    if (isChanging(pod)) return;
    if (state === 'Updating') await setLifecycle(context, pod, 'Updated');
    const hook = set.spec.lifecycle?.inPlaceUpdate;
    const handled = (hook?.finalizersHandler ?? []).length + Object.keys(hook?.labelsHandler ?? {}).length > 0;
    if (state === 'Updated' && (!handled || isHooked(hook, pod))) await setLifecycle(context, pod, 'Normal');
  }

  /** Ids of claims that no pod uses: new pods take them over, so that they find their data. */
  #freeIds({ context, set }: Pass, active: readonly Pod[]): string[] {
    const used = new Set(active.map(instanceIdOf));
    const pods = [...context.cache.store(Pod).by('owner', set.metadata.uid ?? '')];
    for (const pod of pods) used.add(instanceIdOf(pod));
    return [...new Set(claimsOf(context, set).map(instanceIdOf))].filter((id) => id !== '' && !used.has(id));
  }

  async #create({ context, set }: Pass, revision: ControllerRevision, ids: string[]): Promise<void> {
    const id = ids.pop() ?? randomSuffix(this.#random);
    const pod = clonePod(set, id, revision, context.clock.now());
    try {
      await ensureCloneClaims(context, set, id);
      await context.client.of(Pod).create(pod);
      this.#recorder.event(CloneSet, set, {
        reason: 'SuccessfulCreate',
        message: `succeed to create pod ${pod.metadata.name}`,
      });
    } catch (error) {
      if (isAlreadyExists(error)) return;
      const message = error instanceof Error ? error.message : String(error);
      this.#recorder.event(CloneSet, set, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `failed to create pod: ${message}`,
      });
      throw error;
    }
  }

  /** Removes a pod, after whoever holds it before deletion has let go. */
  async #remove({ context, set }: Pass, pod: Pod, withClaims: boolean): Promise<void> {
    const hook = set.spec.lifecycle?.preDelete;
    if (isHooked(hook, pod)) {
      await setLifecycle(context, pod, 'PreparingDelete');
      if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingDelete');
      return;
    }
    await deletePod(context.client, pod);
    this.#recorder.event(CloneSet, set, {
      reason: 'SuccessfulDelete',
      message: `succeed to delete pod ${pod.metadata.name}`,
    });
    if (!withClaims) return;
    for (const claim of claimsOf(context, set))
      if (instanceIdOf(claim) === instanceIdOf(pod)) await deleteClaim(context, claim);
  }

  /** Moves a pod to the update revision: in place after its hook, or by asking for its replacement. */
  async #change(pass: Pass, pod: Pod): Promise<void> {
    const { context, set, revisions } = pass;
    const strategy = set.spec.updateStrategy ?? {};
    if (strategy.type === 'InPlaceIfPossible' || strategy.type === 'InPlaceOnly') {
      if (isHooked(set.spec.lifecycle?.inPlaceUpdate, pod)) return setLifecycle(context, pod, 'PreparingUpdate');
      const changed = await changeInPlace(
        context,
        pod,
        revisions,
        strategy.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
      );
      if (changed) {
        await setLifecycle(context, pod, 'Updating');
        return sooner(pass, changed.wait);
      }
      if (strategy.type === 'InPlaceOnly') return;
    }
    await patchMetadata(context.client, pod, { labels: { [specifiedDelete]: 'true' } });
  }

  async #report({ context, set, revisions }: Pass): Promise<void> {
    const { cache, client, clock, key } = context;
    const all = [...cache.store(Pod).by('owner', set.metadata.uid ?? '')].filter(
      (pod) => isActive(pod) && controllerOf(pod)?.uid === set.metadata.uid,
    );
    const update = revisions.update.metadata.name;
    const isAvailable = (pod: Pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, clock.now()) === 0;
    const updated = all.filter((pod) => pod.metadata.labels?.[revisionLabel] === update);
    const done = updated.length === all.length && updated.length >= (set.spec.replicas ?? 1);
    const status: CloneSetStatus = {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: all.length,
      readyReplicas: all.filter(isPodReady).length,
      availableReplicas: all.filter(isAvailable).length,
      updatedReplicas: updated.length,
      updatedReadyReplicas: updated.filter(isPodReady).length,
      updatedAvailableReplicas: updated.filter(isAvailable).length,
      expectedUpdatedReplicas: set.spec.replicas ?? 1,
      updateRevision: update,
      currentRevision: done ? update : revisions.current.metadata.name,
      collisionCount: set.status?.collisionCount ?? 0,
      labelSelector: formatSelector(selectorFromField(set.spec.selector)),
    };
    if (deepEqual(status, set.status)) return;
    await client
      .of(CloneSet)
      .patch(key, merge({ metadata: { uid: set.metadata.uid }, status }), { subresource: 'status' })
      .catch((error: unknown) => {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      });
  }
}
