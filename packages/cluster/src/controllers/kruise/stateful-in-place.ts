import type { Lifecycle } from '@coxswain/k8s/kruise';
import { revisionLabel } from '../revision/revisions.ts';
import type { InPlaceUpdater } from '../statefulset/in-place-seam.ts';
import type { StatefulModel } from '../statefulset/model.ts';
import { dressPod, openPodReady, podReadyGate } from './dress.ts';
import { canChangeInPlace, changeInPlace, goOnInPlace, isChanging, setGate } from './in-place.ts';
import { isHooked, lifecycleOf, nextState, setLifecycle, stateMarks } from './lifecycle.ts';

function lifecycleIn({ object }: StatefulModel): Lifecycle | undefined {
  const { spec } = object as { readonly spec?: { readonly lifecycle?: Lifecycle } };
  return spec?.lifecycle;
}

/** In-place changes, and who may hold pods, for the Advanced StatefulSet. */
export const statefulInPlace: InPlaceUpdater = {
  dress: dressPod,
  async prepare(context, model, pod, revisions) {
    await openPodReady(context, pod);
    const wait = await goOnInPlace(context, pod);
    const updated = pod.metadata.labels?.[revisionLabel] === revisions.update.metadata.name;
    const next = nextState(lifecycleIn(model), pod, updated, isChanging(pod));
    if (next !== undefined && (await setLifecycle(context, pod, next))) return 0;
    return wait;
  },
  async holds(context, model, pod) {
    const hook = lifecycleIn(model)?.preDelete;
    if (!isHooked(hook, pod)) return false;
    if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingDelete');
    await setLifecycle(context, pod, 'PreparingDelete');
    return true;
  },
  isChanging: (pod) => isChanging(pod) || ['PreparingUpdate', 'PreparingDelete'].includes(lifecycleOf(pod)),
  async update(context, model, pod, revisions) {
    if (model.update.inPlace === 'never' || !canChangeInPlace(pod, revisions)) return false;
    const hook = lifecycleIn(model)?.inPlaceUpdate;
    if (isHooked(hook, pod)) {
      if (hook?.markPodNotReady) await setGate(context, pod, podReadyGate, false, 'PreparingUpdate');
      await setLifecycle(context, pod, 'PreparingUpdate');
      return { wait: undefined };
    }
    const marks = stateMarks('Updating', context.clock.now());
    return changeInPlace(context, pod, revisions, { grace: model.update.inPlaceGrace, ...marks });
  },
};
