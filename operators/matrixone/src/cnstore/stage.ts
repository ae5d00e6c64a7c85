import type { Pod } from '@coxswain/k8s';
import {
  ANNOTATION_DRAINING_START,
  ANNOTATION_STORE_CORDON,
  type CNSet,
  CONDITION_CN_STORE,
  FINALIZER_CN_DRAINING,
  KRUISE_LIFECYCLE_STATE,
} from '../api/index.ts';

/**
 * Where a compute node is in its life:
 * - `leaving`: its pod is being deleted.
 * - `cordoned`: a person keeps it out of service, and it is not to go.
 * - `stopping`: OpenKruise waits for our finalizer before it stops or updates the pod.
 * - `released`: OpenKruise acts. A finalizer that came back now could make it begin again.
 * - `serving`: none of these.
 */
export type Stage = 'leaving' | 'cordoned' | 'stopping' | 'released' | 'serving';

const asking: ReadonlySet<string | undefined> = new Set(['PreparingDelete', 'PreparingUpdate']);

export function stageOf(pod: Pod): Stage {
  const { deletionTimestamp, annotations, labels, finalizers } = pod.metadata;
  if (deletionTimestamp) return 'leaving';
  const state = labels?.[KRUISE_LIFECYCLE_STATE];
  const isHeld = finalizers?.includes(FINALIZER_CN_DRAINING) === true;
  // A cordon keeps sessions away, not the node: one that is to go goes, or its set would wait for a person without an end.
  if (asking.has(state) && isHeld) return 'stopping';
  if (annotations?.[ANNOTATION_STORE_CORDON] !== undefined) return 'cordoned';
  if (asking.has(state)) return 'released';
  return state === 'Updating' ? 'released' : 'serving';
}

/**
 * Whether the update that a pod waits for changes only metadata, so that nothing has to be handed over. One for which its node drains already does more:
 * it was paused since.
 */
export function isMetadataUpdate({ metadata: { annotations, labels } }: Pod, set: CNSet | undefined): boolean {
  if (labels?.[KRUISE_LIFECYCLE_STATE] !== 'PreparingUpdate' || set?.spec.pauseUpdate !== true) return false;
  return annotations?.[ANNOTATION_DRAINING_START] === undefined;
}

/** Reasons of a gate that is closed while the node is told to take no sessions. */
const emptying: ReadonlySet<string | undefined> = new Set(['CNStorePrepareStop', 'CNStoreCordon']);

/** What the status of a set says of a node: by its readiness gate, not by what was last wanted of it. */
export function storeState(pod: Pod): 'Up' | 'Draining' | 'Unknown' {
  const gate = pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
  if (gate?.status === 'True') return 'Up';
  return emptying.has(gate?.reason) ? 'Draining' : 'Unknown';
}

/** The nodes that drain, each with what it waits for, as in `mo-tp-cn-x waits for 3 sessions`; by name. */
export function drainsOf(pods: readonly Pod[]): readonly string[] {
  return pods
    .filter(({ metadata }) => metadata.annotations?.[ANNOTATION_DRAINING_START] !== undefined)
    .map((pod) => {
      const gate = pod.status?.conditions?.find(({ type }) => type === CONDITION_CN_STORE);
      return `${pod.metadata.name} ${gate?.message || 'begins to drain'}`;
    })
    .sort();
}
