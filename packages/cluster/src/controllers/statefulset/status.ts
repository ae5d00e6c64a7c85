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

/** Counts pods. `currentRevision` becomes the update revision only when every pod has it and is ready. */
export function countPods(model: StatefulModel, { all, pods, revisions }: StatefulResult, now: number): StatefulCounts {
  const current = revisions.current.metadata.name;
  const update = revisions.update.metadata.name;
  const living = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const available = (pod: Pod) => untilAvailable(pod, model.minReadySeconds, now) === 0;
  const updated = living.filter(({ metadata }) => metadata.labels?.[revisionLabel] === update);
  const done =
    pods.length === model.ordinals.length &&
    updated.length === pods.length &&
    updated.every(isPodReady) &&
    model.update.partition === 0;
  const effective = done ? update : current;
  return {
    replicas: all.length,
    readyReplicas: living.filter(isPodReady).length,
    availableReplicas: living.filter((pod) => isPodReady(pod) && available(pod)).length,
    currentReplicas: living.filter(({ metadata }) => metadata.labels?.[revisionLabel] === effective).length,
    updatedReplicas: updated.length,
    updatedReadyReplicas: updated.filter(isPodReady).length,
    updatedAvailableReplicas: updated.filter((pod) => isPodReady(pod) && available(pod)).length,
    currentRevision: effective,
    updateRevision: update,
  };
}
