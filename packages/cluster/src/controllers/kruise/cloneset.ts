import { type ControllerRevision, Pod } from '@coxswain/k8s';
import { CloneSet, type CloneSetStatus, type LifecycleHook } from '@coxswain/k8s/kruise';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatSelector, isAlreadyExists, type Random, randomSuffix, selectorFromField } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import {
  type RevisionOwner,
  type Revisions,
  revisionLabel,
  syncRevisions,
  truncateRevisions,
} from '../revision/revisions.ts';
import {
  claimPods,
  controlledPods,
  deletePod,
  isActive,
  isPodReady,
  sooner,
  untilAvailable,
} from '../workload/pods.ts';
import { isRace } from '../workload/tolerant.ts';
import { writeStatus } from '../workload/write-status.ts';
import { type ClonePlan, isNamed, limitsOf, planClones, specifiedDelete } from './cloneset-plan.ts';
import { claimsOf, clonePod, deleteClaim, ensureCloneClaims, instanceIdOf } from './cloneset-pods.ts';
import { openPodReady, podReadyGate } from './dress.ts';
import { changeInPlace, isChanging, openGate, patchMetadata, setGate } from './in-place.ts';
import { hasHandler, isHooked, type LifecycleState, lifecycleOf, setLifecycle } from './lifecycle.ts';

interface Pass {
  readonly context: ReconcileContext;
  readonly set: CloneSet;
  readonly revisions: Revisions;
  wait: number | undefined;
}

/** Ids that new pods may take over, so that they find their data. */
interface ReusableIds {
  readonly free: string[];
  /** Ids whose pod is on its way out: whoever is to have them waits for that. */
  readonly soon: number;
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
    if (!set.metadata.deletionTimestamp) await this.#converge(pass, owned);
    await truncateRevisions(
      context,
      owner,
      revisions,
      new Set(owned.map((pod) => pod.metadata.labels?.[revisionLabel] ?? '')),
    );
    await this.#report(pass);
    return pass.wait === undefined ? undefined : { requeueAfter: pass.wait };
  }

  async #converge(pass: Pass, owned: readonly Pod[]): Promise<void> {
    const { context, set, revisions } = pass;
    for (const pod of owned.filter(isActive)) await this.#settle(pass, pod);
    const active = controlledPods(context, set).filter(isActive);
    const now = context.clock.now();
    for (const pod of active)
      pass.wait = sooner(pass.wait, untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) || undefined);
    const plan = planClones({ set, active, updateRevision: revisions.update.metadata.name, now });
    for (const pod of plan.keep) await setLifecycle(context, pod, 'Normal');
    for (const pod of plan.specified) if (!plan.keep.includes(pod)) await this.#remove(pass, pod);
    for (const pod of plan.shrink) await this.#remove(pass, pod);
    await this.#fill(pass, plan.create, new Set(owned.map(instanceIdOf)));
    for (const pod of plan.change) await this.#change(pass, pod);
  }

  /** @param seen ids of the pods this pass began with: if one has gone since, its claims may be for its replacement */
  async #fill(pass: Pass, { current, update }: ClonePlan['create'], seen: ReadonlySet<string>): Promise<void> {
    const { context, set, revisions } = pass;
    const { free, soon } = this.#reusableIds(pass);
    const count = Math.max(0, current + update - Math.max(0, soon - free.length));
    for (let i = 0; i < count; i++) await this.#create(pass, i < current ? revisions.current : revisions.update, free);
    if (current + update > 0) return;
    for (const claim of claimsOf(context, set)) {
      const id = instanceIdOf(claim);
      if (free.includes(id) && !seen.has(id)) await deleteClaim(context, claim);
    }
  }

  /** Opens gates, and moves a pod on that waits for nobody. */
  async #settle({ context, set }: Pass, pod: Pod): Promise<void> {
    await openPodReady(context, pod);
    await openGate(context, pod);
    const { inPlaceUpdate, preNormal } = set.spec.lifecycle ?? {};
    const passed = (hook: LifecycleHook | undefined) => !hasHandler(hook) || isHooked(hook, pod);
    let state: LifecycleState = lifecycleOf(pod);
    if (state === 'PreparingNormal' && passed(preNormal)) state = 'Normal';
    if (state === 'Updating' && !isChanging(pod)) state = 'Updated';
    if (state === 'Updated' && passed(inPlaceUpdate)) state = 'Normal';
    if (state !== lifecycleOf(pod)) await setLifecycle(context, pod, state);
  }

  #reusableIds({ context, set }: Pass): ReusableIds {
    const pods = controlledPods(context, set);
    const used = new Set(pods.map(instanceIdOf));
    const leaving = new Set(pods.filter((pod) => !isActive(pod)).map(instanceIdOf));
    const claimed = new Set(claimsOf(context, set).map(instanceIdOf));
    claimed.delete('');
    return {
      free: [...claimed].filter((id) => !used.has(id)),
      soon: [...claimed].filter((id) => leaving.has(id)).length,
    };
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
      if (isRace(error)) throw error;
      const message = error instanceof Error ? error.message : String(error);
      this.#recorder.event(CloneSet, set, {
        type: 'Warning',
        reason: 'FailedCreate',
        message: `failed to create pod: ${message}`,
      });
      throw error;
    }
  }

  /** Removes a pod, after whoever holds it before deletion has let go. Its claims stay for its replacement, if it gets one. */
  async #remove({ context, set }: Pass, pod: Pod): Promise<void> {
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
    if (isNamed(set, pod) && set.spec.scaleStrategy?.disablePVCReuse !== true) return;
    for (const claim of claimsOf(context, set))
      if (instanceIdOf(claim) === instanceIdOf(pod)) await deleteClaim(context, claim);
  }

  /** Moves a pod to the update revision: in place after its hook, or by asking for its replacement. */
  async #change(pass: Pass, pod: Pod): Promise<void> {
    const { context, set, revisions } = pass;
    const strategy = set.spec.updateStrategy ?? {};
    if (strategy.type === 'InPlaceIfPossible' || strategy.type === 'InPlaceOnly') {
      const hook = set.spec.lifecycle?.inPlaceUpdate;
      if (isHooked(hook, pod)) {
        await setLifecycle(context, pod, 'PreparingUpdate');
        if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingUpdate');
        return;
      }
      const changed = await changeInPlace(
        context,
        pod,
        revisions,
        strategy.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
      );
      if (changed) {
        await setLifecycle(context, pod, 'Updating');
        pass.wait = sooner(pass.wait, changed.wait);
        return;
      }
      if (strategy.type === 'InPlaceOnly') return;
    }
    await patchMetadata(context.client, pod, { labels: { [specifiedDelete]: 'true' } });
    pass.wait = 0;
  }

  async #report(pass: Pass): Promise<void> {
    const { context, set, revisions } = pass;
    const all = controlledPods(context, set).filter(isActive);
    const update = revisions.update.metadata.name;
    const now = context.clock.now();
    const isAvailable = (pod: Pod) => untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) === 0;
    const updated = all.filter((pod) => pod.metadata.labels?.[revisionLabel] === update);
    const { replicas, partition } = limitsOf(set);
    const done = updated.length === all.length && updated.length >= replicas;
    const status: CloneSetStatus = {
      observedGeneration: set.metadata.generation ?? 0,
      replicas: all.length,
      readyReplicas: all.filter(isPodReady).length,
      availableReplicas: all.filter(isAvailable).length,
      updatedReplicas: updated.length,
      updatedReadyReplicas: updated.filter(isPodReady).length,
      updatedAvailableReplicas: updated.filter(isAvailable).length,
      expectedUpdatedReplicas: replicas - partition,
      updateRevision: update,
      currentRevision: done ? update : revisions.current.metadata.name,
      collisionCount: revisions.collisionCount,
      labelSelector: formatSelector(selectorFromField(set.spec.selector)),
    };
    await writeStatus(context, CloneSet, set, status);
    // the old revision is history from now on
    if (status.currentRevision !== revisions.current.metadata.name) pass.wait = 0;
  }
}
