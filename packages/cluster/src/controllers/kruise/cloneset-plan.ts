import type { Pod } from '@coxswain/k8s';
import type { CloneSet } from '@coxswain/k8s/kruise';
import { revisionLabel } from '../revision/revisions.ts';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { isPodReady, untilAvailable } from '../workload/pods.ts';
import { isChanging } from './in-place.ts';
import { lifecycleOf } from './lifecycle.ts';

/** Label by which anybody asks for one pod to be removed (and replaced, if the number does not change); its value does not matter. */
export const specifiedDelete = 'apps.kruise.io/specified-delete';
/** Label of a CloneSet that replaces pods already while they are being prepared for deletion. */
const excludePreparingDelete = 'apps.kruise.io/cloneset-scaling-exclude-preparing-delete';
/** Default of `updateStrategy.maxUnavailable`. */
const defaultUnavailable = '20%';

/** What a plan is made from. */
export interface CloneFacts {
  readonly set: CloneSet;
  /** Pods that have not ended and are not being deleted. */
  readonly active: readonly Pod[];
  readonly updateRevision: string;
  readonly now: number;
}

/** What is to be done, in numbers of pods (`spec/embedded.md` §2.5). */
export interface CloneDiffs {
  /** Pods to make, as far as `scaleStrategy.maxUnavailable` lets, and how many of them of the current revision. */
  readonly create: { readonly wanted: number; readonly allowed: number; readonly old: number };
  /** Pods to remove because there are too many, and how many of them of an old revision; those that were named are not among them. */
  readonly remove: { readonly count: number; readonly old: number };
  /** How many ready pods may be removed now. */
  readonly deleteReady: number;
  /** Pods to move to the update revision, and how many may be away for it. */
  readonly update: { readonly count: number; readonly unavailable: number };
}

/** The update strategy in numbers of pods. */
interface Limits {
  readonly replicas: number;
  /** Pods that keep their old revision. */
  readonly partition: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
  readonly scaleUnavailable: number;
}

export function isNamed(set: CloneSet, pod: Pod): boolean {
  return (
    (set.spec.scaleStrategy?.podsToDelete ?? []).includes(pod.metadata.name) ||
    pod.metadata.labels?.[specifiedDelete] !== undefined
  );
}

/** A share keeps at least one old pod back, unless it is nothing, and lets at least one go, unless it is all. */
function partitionOf({ spec }: CloneSet, replicas: number): number {
  const partition = spec.updateStrategy?.partition;
  const count = intOrPercent(partition, replicas, 'up', 0);
  const share = typeof partition === 'string' && partition !== '100%';
  return Math.max(0, Math.min(share && replicas > 1 && count === replicas ? replicas - 1 : count, replicas));
}

export function limitsOf(set: CloneSet): Limits {
  const { spec } = set;
  const replicas = spec.replicas ?? 1;
  const { type, paused, maxSurge, maxUnavailable } = spec.updateStrategy ?? {};
  const surge = type === 'InPlaceOnly' || paused ? 0 : intOrPercent(maxSurge, replicas, 'up', 0);
  const away = intOrPercent(maxUnavailable ?? defaultUnavailable, replicas, surge > 0 ? 'down' : 'up', 0);
  return {
    replicas,
    partition: partitionOf(set, replicas),
    maxSurge: surge,
    // both 0 would never move
    maxUnavailable: surge === 0 && away === 0 ? 1 : away,
    scaleUnavailable: intOrPercent(spec.scaleStrategy?.maxUnavailable, replicas, 'up', Number.MAX_SAFE_INTEGER),
  };
}

/** Whether a pod serves: in its normal state, not being changed, and ready for long enough. */
export function isCloneAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!['', 'Normal'].includes(lifecycleOf(pod)) || isChanging(pod) || !isPodReady(pod)) return false;
  return untilAvailable(pod, minReadySeconds, now) === 0;
}

interface Counts {
  all: number;
  active: number;
  named: number;
  leaving: number;
  away: number;
}

function countsOf({ set, now }: CloneFacts, pods: readonly Pod[]): Counts {
  const counts: Counts = { all: pods.length, active: 0, named: 0, leaving: 0, away: 0 };
  for (const pod of pods) {
    if (lifecycleOf(pod) === 'PreparingDelete') counts.leaving++;
    else {
      counts.active++;
      if (isNamed(set, pod)) counts.named++;
      else if (!isCloneAvailable(pod, set.spec.minReadySeconds ?? 0, now)) counts.away++;
    }
  }
  return counts;
}

/** Extra pods: for named ones whose absence would be too much, or for a roll, whichever is more; at most `maxSurge`. */
function surgeOf(
  { maxSurge, maxUnavailable }: Limits,
  fresh: Counts,
  old: Counts,
  pending: number,
): { readonly all: number; readonly old: number } {
  if (maxSurge === 0) return { all: 0, old: 0 };
  const named = fresh.named + old.named;
  const away = fresh.leaving + old.leaving + fresh.away + old.away;
  const forNamed = Math.min(Math.max(away + named - maxUnavailable, 0), named);
  if (forNamed < pending) return { all: Math.min(maxSurge, pending), old: 0 };
  const all = Math.min(maxSurge, forNamed);
  return { all, old: Math.min(all, Math.max(0, forNamed - fresh.named)) };
}

/** Compares what is with what is wanted. */
export function cloneDiffs(facts: CloneFacts): CloneDiffs {
  const { set, active, updateRevision } = facts;
  const limits = limitsOf(set);
  const { replicas, partition, maxUnavailable, scaleUnavailable } = limits;
  const isOld = (pod: Pod) => pod.metadata.labels?.[revisionLabel] !== updateRevision;
  const old = countsOf(facts, active.filter(isOld));
  const fresh = countsOf(
    facts,
    active.filter((pod) => !isOld(pod)),
  );
  const pending = Math.min(Math.max(0, old.active - partition), Math.max(0, replicas - partition - fresh.active));
  const surge = surgeOf(limits, fresh, old, pending);
  const away = fresh.leaving + old.leaving + fresh.away + old.away;
  const excluded = set.metadata.labels?.[excludePreparingDelete] === 'true';
  const total = active.length - (excluded ? fresh.leaving + old.leaving : 0);
  const totalOld = old.all - (excluded ? old.leaving : 0);
  const named = fresh.named + old.named;
  const missing = Math.max(0, replicas + surge.all - total);
  const surplus = Math.max(0, total - named - replicas - surge.all);
  return {
    create: {
      wanted: missing,
      allowed: Math.min(missing, Math.max(0, scaleUnavailable - away)),
      old: missing > 0 ? Math.max(0, partition + surge.old - totalOld) : 0,
    },
    remove: { count: surplus, old: surplus > 0 ? Math.max(0, totalOld - old.named - partition - surge.old) : 0 },
    deleteReady: named + surplus > 0 ? Math.max(0, maxUnavailable + active.length - replicas - away) : 0,
    update: { count: pending, unavailable: maxUnavailable + active.length - replicas },
  };
}

/** Pods that left because the set shrank come back when it grows, unless hooks make them not ready: then there is no way back. */
export function podsToKeep({ set, active }: CloneFacts): readonly Pod[] {
  const { preDelete, inPlaceUpdate } = set.spec.lifecycle ?? {};
  if (preDelete?.markPodNotReady || inPlaceUpdate?.markPodNotReady) return [];
  const leaving = active.filter((pod) => lifecycleOf(pod) === 'PreparingDelete');
  const going = active.filter((pod) => leaving.includes(pod) || isNamed(set, pod));
  const room = (set.spec.replicas ?? 1) - active.length + going.length;
  return leaving.filter((pod) => !isNamed(set, pod)).slice(0, Math.max(0, room));
}

/** The first pods, but of the ready ones no more than may go. */
export function upTo(
  pods: readonly Pod[],
  ready: number,
  now: number,
): { readonly pods: Pod[]; readonly left: number } {
  let left = ready;
  const chosen = pods.filter((pod) => !isCloneAvailable(pod, 0, now) || left-- > 0);
  return { pods: chosen, left: Math.max(0, left) };
}

/** Of the pods that wait for their update (in order), as many as may be away. One that is away already costs nothing. */
export function updatable(
  { set, active, updateRevision, now }: CloneFacts,
  waiting: readonly Pod[],
  { count, unavailable }: CloneDiffs['update'],
): readonly Pod[] {
  const isAway = (pod: Pod) => !isCloneAvailable(pod, set.spec.minReadySeconds ?? 0, now);
  const away = active.filter(isAway);
  let total = away.length;
  const fresh = away.filter((pod) => pod.metadata.labels?.[revisionLabel] === updateRevision).length;
  const chosen: Pod[] = [];
  for (const pod of waiting.slice(0, count)) {
    if (fresh + chosen.length >= unavailable) break;
    if (!isAway(pod)) {
      if (total >= unavailable) break;
      total++;
    }
    chosen.push(pod);
  }
  return chosen;
}
