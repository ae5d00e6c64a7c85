import type { Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import type { Revisions } from '../revision/revisions.ts';
import type { StatefulModel } from './model.ts';

/** How pods are changed without being replaced, for flavours that can. */
export interface InPlaceUpdater {
  /** The pod as this flavour makes it. */
  dress(pod: Pod, now: number): Pod;
  /**
   * Goes on with a change that has begun, and opens the readiness gates of a pod that is not being changed. Called for every pod in each pass.
   * Answers the milliseconds until time alone brings it on.
   */
  prepare(context: ReconcileContext, model: StatefulModel, pod: Pod, revisions: Revisions): Promise<number | undefined>;
  /** Whether somebody holds a pod that is to be deleted; it is told so. */
  holds(context: ReconcileContext, model: StatefulModel, pod: Pod): Promise<boolean>;
  /** Whether a change of the pod has begun and is not complete. */
  isChanging(pod: Pod): boolean;
  /** Begins or continues to change the pod; `false` when it has to be replaced, else the milliseconds to the next look. */
  update(
    context: ReconcileContext,
    model: StatefulModel,
    pod: Pod,
    revisions: Revisions,
  ): Promise<false | { readonly wait: number | undefined }>;
}

/** Plain StatefulSets replace pods. */
export const neverInPlace: InPlaceUpdater = {
  dress: (pod) => pod,
  prepare: async () => undefined,
  holds: async () => false,
  isChanging: () => false,
  update: async () => false,
};
