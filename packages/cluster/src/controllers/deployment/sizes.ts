import type { Deployment, ReplicaSet } from '@coxswain/k8s';
import { intOrPercent } from '../workload/int-or-percent.ts';
import { desiredOf, maxOf } from './replica-sets.ts';

/** How far a Deployment's pods may stray from the wanted number while it rolls. */
export interface Leeway {
  readonly surge: number;
  readonly unavailable: number;
}

export function leewayOf(deployment: Deployment): Leeway {
  const { spec } = deployment;
  if (spec?.strategy?.type === 'Recreate') return { surge: 0, unavailable: 0 };
  const total = spec?.replicas ?? 1;
  const surge = intOrPercent(spec?.strategy?.rollingUpdate?.maxSurge, total, 'up', Math.ceil(total / 4));
  const unavailable = intOrPercent(spec?.strategy?.rollingUpdate?.maxUnavailable, total, 'down', Math.floor(total / 4));
  // both 0 would never move
  const least = surge === 0 ? 1 : 0;
  return { surge, unavailable: Math.min(total, Math.max(least, unavailable)) };
}

/** Whether the new ReplicaSet has all pods that are wanted, knows it, and all of them are available. */
export function isSaturated(wanted: number, current: ReplicaSet | undefined): boolean {
  return (
    current !== undefined &&
    [sizeOf(current), desiredOf(current), availableOf(current)].every((count) => count === wanted)
  );
}

export function sizeOf(set: ReplicaSet): number {
  return set.spec?.replicas ?? 0;
}

const availableOf = (set: ReplicaSet) => set.status?.availableReplicas ?? 0;
const sum = (sets: readonly ReplicaSet[], of: (set: ReplicaSet) => number) =>
  sets.reduce((total, set) => total + of(set), 0);

/** The size the new ReplicaSet may have now. */
export function newSize(wanted: number, current: ReplicaSet, all: readonly ReplicaSet[], { surge }: Leeway): number {
  if (sizeOf(current) >= wanted) return wanted;
  const room = wanted + surge - sum(all, sizeOf);
  return room <= 0 ? sizeOf(current) : Math.min(wanted, sizeOf(current) + room);
}

/**
 * The sizes the old ReplicaSets may have now: pods that are not available go first, then as many available ones
 * as the new set's leave over.
 */
export function oldSizes(
  wanted: number,
  current: ReplicaSet,
  old: readonly ReplicaSet[],
  { unavailable }: Leeway,
): Map<ReplicaSet, number> {
  const sizes = new Map(old.map((set) => [set, sizeOf(set)]));
  const minAvailable = wanted - unavailable;
  const all = [current, ...old];
  let surplus = sum(all, sizeOf) - minAvailable - (sizeOf(current) - availableOf(current));
  for (const set of old) {
    const broken = Math.min(surplus, Math.max(0, sizeOf(set) - availableOf(set)));
    if (broken <= 0) continue;
    sizes.set(set, sizeOf(set) - broken);
    surplus -= broken;
  }
  let spare = sum(all, availableOf) - minAvailable;
  for (const set of old) {
    const left = sizes.get(set) ?? 0;
    const cut = Math.min(spare, left);
    if (cut <= 0) continue;
    sizes.set(set, left - cut);
    spare -= cut;
  }
  return sizes;
}

/**
 * Shares a new number of replicas (and its surge) among several active ReplicaSets in proportion to their sizes, so that a roll under way
 * keeps its balance. The largest takes what rounding leaves over.
 */
export function proportionalSizes(
  wanted: number,
  active: readonly ReplicaSet[],
  deployment: Deployment,
): Map<ReplicaSet, number> {
  const allowed = wanted === 0 ? 0 : wanted + leewayOf(deployment).surge;
  const change = allowed - sum(active, sizeOf);
  const newestFirst = change > 0;
  const sorted = active
    .map((set, age) => ({ set, age: newestFirst ? -age : age }))
    .sort((a, b) => sizeOf(b.set) - sizeOf(a.set) || a.age - b.age);
  const sizes = new Map<ReplicaSet, number>();
  let given = 0;
  for (const { set } of sorted) {
    // without a number from before, the pods there are stand for it; without either nothing can be shared out
    const before = maxOf(set) || deployment.status?.replicas || 0;
    const proportional = before === 0 ? sizeOf(set) : Math.round((sizeOf(set) * allowed) / before);
    const ideal = wanted === 0 ? -sizeOf(set) : proportional - sizeOf(set);
    const left = change - given;
    const share = change > 0 ? Math.min(Math.max(0, ideal), left) : Math.max(Math.min(0, ideal), left);
    sizes.set(set, sizeOf(set) + share);
    given += share;
  }
  const largest = sorted[0]?.set;
  if (largest) sizes.set(largest, Math.max(0, (sizes.get(largest) ?? 0) + change - given));
  return sizes;
}
