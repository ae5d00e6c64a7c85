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
/** Label of a CloneSet that replaces pods already while they are being prepared for deletion. */
const excludePreparingDelete = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';

/** What to do with the pods of a CloneSet next. */
export interface ClonePlan {
  /** Pods to make: so many of the current revision, so many of the update revision. */
  readonly create: { readonly current: number; readonly update: number };
  /** Pods to remove because the set shrinks: their claims go with them. */
  readonly shrink: readonly Pod[];
  /** Pods to remove because somebody named them. */
  readonly specified: readonly Pod[];
  /** Pods that are being prepared for deletion because the set shrank, and may stay since it grew again. */
  readonly keep: readonly Pod[];
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

/** The update strategy in numbers of pods. */
interface Limits {
  readonly replicas: number;
  /** Pods that keep their old revision. */
  readonly partition: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** The pods by what is to become of them. */
interface Groups {
  readonly leaving: readonly Pod[];
  readonly named: readonly Pod[];
  readonly staying: readonly Pod[];
}

export function isNamed(set: CloneSet, pod: Pod): boolean {
  return (
    (set.spec.scaleStrategy?.podsToDelete ?? []).includes(pod.metadata.name) ||
    pod.metadata.labels?.[specifiedDelete] === 'true'
  );
}

export function limitsOf({ spec }: CloneSet): Limits {
  const replicas = spec.replicas ?? 1;
  const { type, partition, maxSurge, maxUnavailable } = spec.updateStrategy ?? {};
  const surge = type === 'InPlaceOnly' ? 0 : intOrPercent(maxSurge, replicas, 'up', 0);
  const away = intOrPercent(maxUnavailable ?? '20%', replicas, surge > 0 ? 'down' : 'up', 0);
  return {
    replicas,
    partition: Math.min(replicas, intOrPercent(partition, replicas, 'up', 0)),
    maxSurge: surge,
    // both 0 would never move
    maxUnavailable: surge === 0 && away === 0 ? 1 : away,
  };
}

function groupsOf(set: CloneSet, active: readonly Pod[]): Groups {
  const leaving = active.filter((pod) => lifecycleOf(pod) === 'PreparingDelete');
  const others = active.filter((pod) => !leaving.includes(pod));
  const named = others.filter((pod) => isNamed(set, pod));
  return { leaving, named, staying: others.filter((pod) => !named.includes(pod)) };
}

/** Pods that left because the set shrank come back when it grows, unless they were made not ready already. */
function toKeep(set: CloneSet, { leaving, staying }: Groups, { replicas }: Limits): Pod[] {
  if (set.spec.lifecycle?.preDelete?.markPodNotReady) return [];
  return leaving.filter((pod) => !isNamed(set, pod)).slice(0, Math.max(0, replicas - staying.length));
}

/**
 * Compares what is with what is wanted (`spec/embedded.md` §2.5). Pods that were named count until they are gone, then they are replaced;
 * a surge lets their replacement come first. A roll first makes up to `maxSurge` extra pods, then changes old ones as far as
 * `maxUnavailable` allows; the extra ones go when the last change is complete.
 */
export function planClones({ set, active, updateRevision, now }: ClonePlanInput): ClonePlan {
  const limits = limitsOf(set);
  const { replicas, partition, maxSurge, maxUnavailable } = limits;
  const groups = groupsOf(set, active);
  const { leaving, named, staying } = groups;
  const isOld = (pod: Pod) => pod.metadata.labels?.[revisionLabel] !== updateRevision;
  const available = (pod: Pod) =>
    lifecycleOf(pod) === 'Normal' && !isChanging(pod) && untilAvailable(pod, set.spec.minReadySeconds ?? 0, now) === 0;
  const old = staying.filter(isOld);
  const pending = set.spec.updateStrategy?.paused ? 0 : Math.max(0, old.length - partition);
  const away = leaving.length + staying.filter((pod) => !available(pod)).length;
  const namedSurge = Math.min(named.length, Math.max(0, away + named.length - maxUnavailable));
  const surge = Math.min(maxSurge, Math.max(namedSurge, pending + staying.filter(isChanging).length));
  const counted = active.length - (set.metadata.labels?.[excludePreparingDelete] === 'true' ? leaving.length : 0);
  const missing = Math.max(0, replicas + surge - counted);
  const excess = Math.max(0, staying.length - replicas - surge);
  const spare = Math.max(0, maxUnavailable + active.length - replicas - away);
  const specified = upTo(named, named.length, spare, available);
  const spareLeft = Math.max(0, spare - named.filter(available).length);
  const victims = byPreference(staying, isOld, old.length - partition, now);
  const keepCurrent = Math.max(0, Math.min(missing, partition - active.filter(isOld).length));
  return {
    create: { current: keepCurrent, update: missing - keepCurrent },
    shrink: upTo(victims, excess, spareLeft, available),
    specified: [...leaving, ...specified],
    keep: toKeep(set, groups, limits),
    change: excess > 0 ? [] : toChange(old, { pending, spare: spareLeft, available, now }),
  };
}

/** In deletion order, but pods of an old revision that should not be there first. */
function byPreference(pods: readonly Pod[], isOld: (pod: Pod) => boolean, excessOld: number, now: number): Pod[] {
  const sorted = [...pods].sort(byDeletionOrder(countByNode(pods), now));
  const first = new Set(sorted.filter(isOld).slice(0, Math.max(0, excessOld)));
  return [...first, ...sorted.filter((pod) => !first.has(pod))];
}

/** The first `count` pods, but of the available ones no more than can be spared. */
function upTo(pods: readonly Pod[], count: number, spare: number, available: (pod: Pod) => boolean): Pod[] {
  const chosen: Pod[] = [];
  let left = spare;
  for (const pod of pods) {
    if (chosen.length >= count) break;
    if (available(pod) && left-- <= 0) continue;
    chosen.push(pod);
  }
  return chosen;
}

interface ChangeRules {
  readonly pending: number;
  readonly spare: number;
  readonly available: (pod: Pod) => boolean;
  readonly now: number;
}

/** Those that are away already first; of the available ones no more than can be spared. Changes that have begun go on. */
function toChange(old: readonly Pod[], { pending, spare, available, now }: ChangeRules): Pod[] {
  const begun = old.filter((pod) => lifecycleOf(pod) === 'PreparingUpdate' || isChanging(pod));
  const rest = old.filter((pod) => !begun.includes(pod)).sort(byDeletionOrder(countByNode(old), now));
  const sorted = [...rest.filter((pod) => !available(pod)), ...rest.filter(available)];
  return [...begun, ...upTo(sorted, Math.max(0, pending - begun.length), spare, available)];
}
