import type { InPlaceUpdater } from '../statefulset/in-place-seam.ts';
import { dressPod, openPodReady } from './dress.ts';
import { changeInPlace, isChanging, openGate } from './in-place.ts';

/** In-place changes for the Advanced StatefulSet. */
export const statefulInPlace: InPlaceUpdater = {
  dress: dressPod,
  async prepare(context, pod) {
    await openPodReady(context, pod);
    await openGate(context, pod);
  },
  isChanging,
  async update(context, model, pod, revisions) {
    return model.update.inPlace === 'never' ? false : changeInPlace(context, pod, revisions, model.update.inPlaceGrace);
  },
};
