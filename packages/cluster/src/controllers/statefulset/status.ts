import type { Pod } from '@coxswain/k8s';
import { revisionLabel } from '../revision/revisions.ts';
import { isPodReady, untilAvailable } from '../workload/pods.ts';
import type { StatefulResult } from './engine.ts';
import type { StatefulModel } from './model.ts';

/** The counters both flavours report. */
export interface StatefulCounts {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  readonly currentReplicas: number;
  readonly updatedReplicas: number;
  readonly updatedReadyReplicas: number;
  readonly updatedAvailableReplicas: number;
  readonly currentRevision: string;
  readonly updateRevision: string;
}

/**
 * Counts pods. A pod that is on its way out still counts as there and, as long as it is, as ready; it belongs to no revision.
 * `currentRevision` becomes the update revision only when all wanted pods, and no others, have it and are ready.
 */
export function countPods(model: StatefulModel, { pods, revisions }: StatefulResult, now: number): StatefulCounts {
  const current = revisions.current.metadata.name;
  const update = revisions.update.metadata.name;
  const isReady = (pod: Pod) => pod.status?.phase === 'Running' && isPodReady(pod);
  const isAvailable = (pod: Pod) => isReady(pod) && untilAvailable(pod, model.minReadySeconds, now) === 0;
  const count = (test: (pod: Pod) => boolean) => pods.filter(test).length;
  const belongsTo = (name: string) => (pod: Pod) =>
    !pod.metadata.deletionTimestamp && pod.metadata.labels?.[revisionLabel] === name;
  const isUpdated = belongsTo(update);
  const counts = { replicas: pods.length, readyReplicas: count(isReady), updatedReplicas: count(isUpdated) };
  const done = Object.values(counts).every((number) => number === model.ordinals.length);
  return {
    ...counts,
    availableReplicas: count(isAvailable),
    currentReplicas: done ? counts.updatedReplicas : count(belongsTo(current)),
    updatedReadyReplicas: count((pod) => isUpdated(pod) && isReady(pod)),
    updatedAvailableReplicas: count((pod) => isUpdated(pod) && isAvailable(pod)),
    currentRevision: done ? update : current,
    updateRevision: update,
  };
}
