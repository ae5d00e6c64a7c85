import type { Pod } from '@coxswain/k8s';
import { CloneSet } from '@coxswain/k8s/kruise';
import type { EventRecorder } from '@coxswain/runtime/events';
import { revisionLabel } from '../revision/revisions.ts';
import { sooner } from '../workload/pods.ts';
import { byActivity } from './clone-order.ts';
import type { ClonePass } from './cloneset.ts';
import { cloneDiffs, specifiedDelete, updatable } from './cloneset-plan.ts';
import { revisionLabelsOf } from './cloneset-pods.ts';
import { openPodReady, podReadyGate } from './dress.ts';
import {
  canChangeInPlace,
  changeInPlace,
  goOnInPlace,
  isChanging,
  isInGrace,
  patchMetadata,
  setGate,
} from './in-place.ts';
import { isHooked, lifecycleOf, nextState, setLifecycle, stateMarks } from './lifecycle.ts';
import { byPriority, scattered } from './update-order.ts';

/** Moves pods of a CloneSet through their life, and on to the update revision. */
export class CloneUpdate {
  readonly #recorder: EventRecorder;

  constructor(recorder: EventRecorder) {
    this.#recorder = recorder;
  }

  /** Takes one step; answers whether anything was done that brings no event of its own. */
  async step(pass: ClonePass): Promise<boolean> {
    const { facts, set } = pass;
    let moved = false;
    for (const pod of facts.active) if (await this.#refresh(pass, pod)) moved = true;
    if (moved) return true;
    if (set.spec.updateStrategy?.paused) return false;
    const { update } = cloneDiffs(facts);
    if (update.count === 0) return false;
    let done = false;
    for (const pod of updatable(facts, this.#waiting(pass), update)) if (await this.#change(pass, pod)) done = true;
    return done;
  }

  /** Goes on with changes in place, opens gates, and moves a pod on that waits for nobody. Answers whether its state is another one. */
  async #refresh(pass: ClonePass, pod: Pod): Promise<boolean> {
    const { context, set } = pass;
    await openPodReady(context, pod);
    pass.wait = sooner(pass.wait, await goOnInPlace(context, pod));
    const updated = pod.metadata.labels?.[revisionLabel] === pass.facts.updateRevision;
    const next = nextState(set.spec.lifecycle, pod, updated, isChanging(pod));
    if (next === undefined) return false;
    if (next === 'Updated' && set.spec.lifecycle?.inPlaceUpdate?.markPodNotReady)
      await setGate(context, pod, podReadyGate, true);
    return setLifecycle(context, pod, next);
  }

  /** Pods of other revisions in the order in which they are updated; those that are being prepared for it go on first. */
  #waiting({ facts, set }: ClonePass): readonly Pod[] {
    const waiting = facts.active.filter(
      (pod) =>
        pod.metadata.labels?.[revisionLabel] !== facts.updateRevision &&
        lifecycleOf(pod) !== 'PreparingDelete' &&
        (lifecycleOf(pod) === 'Updated' || !isInGrace(pod)),
    );
    const { priorityStrategy, scatterStrategy } = set.spec.updateStrategy ?? {};
    const sorted = waiting.sort(byActivity({ cost: false }));
    const order = scattered(scatterStrategy, byPriority(priorityStrategy, sorted));
    const prepared = (pod: Pod) => Number(lifecycleOf(pod) === 'PreparingUpdate');
    return [...order].sort((a, b) => prepared(b) - prepared(a));
  }

  /** Moves a pod to the update revision: in place after its hook, or by asking for its replacement. */
  async #change(pass: ClonePass, pod: Pod): Promise<boolean> {
    const { context, revisions, set } = pass;
    const type = set.spec.updateStrategy?.type;
    if (type === 'InPlaceIfPossible' || type === 'InPlaceOnly') {
      if (canChangeInPlace(pod, revisions)) return this.#changeInPlace(pass, pod);
      if (type === 'InPlaceOnly') return false;
    }
    if (pod.metadata.labels?.[specifiedDelete] !== undefined) return false;
    await patchMetadata(context.client, pod, { labels: { [specifiedDelete]: 'true' } });
    this.#recorder.event(CloneSet, set, {
      reason: 'SuccessfulUpdatePodReCreate',
      message: `successfully patch pod ${pod.metadata.name} specified-delete for update(revision ${revisions.update.metadata.name})`,
    });
    return true;
  }

  async #changeInPlace(pass: ClonePass, pod: Pod): Promise<boolean> {
    const { context, facts, revisions, set } = pass;
    const hook = set.spec.lifecycle?.inPlaceUpdate;
    if (isHooked(hook, pod)) {
      if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingUpdate');
      return setLifecycle(context, pod, 'PreparingUpdate');
    }
    const revision = revisions.update.metadata.name;
    const marks = stateMarks('Updating', facts.now);
    const changed = await changeInPlace(context, pod, revisions, {
      grace: set.spec.updateStrategy?.inPlaceUpdateStrategy?.gracePeriodSeconds ?? 0,
      labels: { ...marks.labels, ...revisionLabelsOf(revision) },
      annotations: marks.annotations,
    });
    if (!changed) return false;
    this.#recorder.event(CloneSet, set, {
      reason: 'SuccessfulUpdatePodInPlace',
      message: `successfully update pod ${pod.metadata.name} in-place(revision ${revision})`,
    });
    pass.wait = sooner(pass.wait, changed.wait);
    return changed.wait === 0;
  }
}
