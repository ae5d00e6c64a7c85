import type { InPlaceUpdater } from '../statefulset/in-place-seam.ts';
import { dressPod, openPodReady } from './dress.ts';
import { changeInPlace, goOnInPlace, isChanging } from './in-place.ts';
import { lifecycleOf, setLifecycle, stateMarks } from './lifecycle.ts';

/** In-place changes for the Advanced StatefulSet. */
export const statefulInPlace: InPlaceUpdater = {
  dress: dressPod,
  async prepare(context, pod) {
    await openPodReady(context, pod);
    const wait = await goOnInPlace(context, pod);
    const state = lifecycleOf(pod);
    const scheduled = pod.status?.conditions?.some(({ type, status }) => type === 'PodScheduled' && status === 'True');
    if ((state === 'PreparingNormal' && scheduled) || (state === 'Updating' && !isChanging(pod)))
      await setLifecycle(context, pod, 'Normal');
    return wait;
  },
  isChanging,
  async update(context, model, pod, revisions) {
    if (model.update.inPlace === 'never') return false;
    const marks = stateMarks('Updating', context.clock.now());
    return changeInPlace(context, pod, revisions, { grace: model.update.inPlaceGrace, ...marks });
  },
};
