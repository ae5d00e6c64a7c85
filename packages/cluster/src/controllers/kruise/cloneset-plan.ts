import type { Pod } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import { revisionLabel } from '../revision/revisions.ts';
import { byDeletionOrder, countByNode } from '../workload/deletion-order.ts';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { untilAvailable } from '../workload/pods.ts';
import { isChanging } from './in-place.ts';
import { lifecycleOf } from './lifecycle.ts';

/** Label by which anybody asks for one pod to be removed (and replaced, if the number does not change). */
export const specifiedDelete = 'apps.kruise.io/specified-delete';

/** What to do with the pods of a CloneSet next. */
export interface ClonePlan {
  /** Pods to make: so many of the current revision, so many of the update revision. */
  readonly create: { readonly current: number; readonly update: number };
  /** Pods to remove because the set shrinks: their claims go with them. */
  readonly shrink: readonly Pod[];
  /** Pods to remove because somebody named them. */
  readonly specified: readonly Pod[];
  /** Pods to move to the update revision. */
  readonly change: readonly Pod[];
}

export interface ClonePlanInput {
  readonly set: CloneSet;
  /** Pods that have not ended and are not being deleted. */
  readonly active: readonly Pod[];
  readonly updateRevision: string;
  readonly now: number;
}

function isNamed(set: CloneSet, pod: Pod): boolean {
  return (
    (set.spec.scaleStrategy?.podsToDelete ?? []).includes(pod.metadata.name) ||
    pod.metadata.labels?.[specifiedDelete] === 'true'
  );
}

/**
 * Compares what is with what is wanted (`spec/embedded.md` §2.5). A roll first makes up to `maxSurge` extra pods, then changes old ones
 * as far as `maxUnavailable` allows; the extra ones go when the last change is complete.
 */
export function planClones({ set, active, updateRevision, now }: ClonePlanInput): ClonePlan {
  const { spec } = set;
  const replicas = spec.replicas ?? 1;
  const strategy = spec.updateStrategy ?? {};
  const leaving = active.filter((pod) => lifecycleOf(pod) === 'PreparingDelete');
  const specified = active.filter((pod) => isNamed(set, pod) || leaving.includes(pod));
  const staying = active.filter((pod) => !specified.includes(pod));
  const isOld = (pod: Pod) => pod.metadata.labels?.[revisionLabel] !== updateRevision;
  const old = staying.filter(isOld);
  const partition = intOrPercent(strategy.partition, replicas, 'up', 0);
  const pending = strategy.paused ? 0 : Math.max(0, old.length - partition);
  const changing = staying.filter(isChanging).length;
  const maxSurge = strategy.type === 'InPlaceOnly' ? 0 : intOrPercent(strategy.maxSurge, replicas, 'up', 0);
  const surge = Math.min(maxSurge, pending + changing);
  const difference = replicas + surge - staying.length;
  const available = (pod: Pod) => untilAvailable(pod, spec.minReadySeconds ?? 0, now) === 0;
  const maxUnavailable = intOrPercent(
    strategy.maxUnavailable,
    replicas,
    maxSurge > 0 ? 'down' : 'up',
    Math.ceil(replicas / 5),
  );
  const spare = staying.filter(available).length - (replicas - maxUnavailable);
  const keepCurrent = Math.max(0, Math.min(Math.max(0, difference), partition - old.length));
  return {
    create: { current: keepCurrent, update: Math.max(0, difference) - keepCurrent },
    shrink: difference < 0 ? toRemove(staying, -difference, { available, spare }) : [],
    specified,
    change: difference < 0 ? [] : toChange(old, pending, spare, available),
  };
}

interface RemovalRules {
  readonly available: (pod: Pod) => boolean;
  readonly spare: number;
}

/** In deletion order; of the available pods no more than can be spared. */
function toRemove(pods: readonly Pod[], count: number, { available, spare }: RemovalRules): Pod[] {
  const sorted = [...pods].sort(byDeletionOrder(countByNode(pods)));
  const chosen: Pod[] = [];
  let left = Math.max(0, spare);
  for (const pod of sorted) {
    if (chosen.length === count) break;
    if (available(pod) && left-- <= 0) continue;
    chosen.push(pod);
  }
  return chosen;
}

/** Those that are away already first; of the available ones no more than can be spared. Changes that have begun go on. */
function toChange(old: readonly Pod[], pending: number, spare: number, available: (pod: Pod) => boolean): Pod[] {
  const begun = old.filter((pod) => lifecycleOf(pod) !== 'Normal' || isChanging(pod));
  const away = old.filter((pod) => !available(pod) && !begun.includes(pod));
  const rest = old.filter((pod) => available(pod) && !begun.includes(pod)).sort(byDeletionOrder(countByNode(old)));
  const spareNow = Math.max(0, spare - begun.filter(available).length);
  return [...begun, ...away, ...rest.slice(0, spareNow)].slice(0, Math.max(pending, begun.length));
}
