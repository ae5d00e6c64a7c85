import type { Deployment, ReplicaSet } from '@coxswain/k8s';
import { intOrPercent } from '../workload/int-or-percent.ts';

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
  return surge === 0 && unavailable === 0 ? { surge, unavailable: 1 } : { surge, unavailable };
}

const sizeOf = (set: ReplicaSet) => set.spec?.replicas ?? 0;
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

/** Shares `wanted` pods among several active ReplicaSets in proportion to their sizes; the largest takes what is left over. */
export function proportionalSizes(wanted: number, active: readonly ReplicaSet[]): Map<ReplicaSet, number> {
  const before = sum(active, sizeOf);
  const sizes = new Map<ReplicaSet, number>();
  const sorted = [...active].sort((a, b) => sizeOf(b) - sizeOf(a));
  let left = wanted;
  for (const set of sorted) {
    const share = Math.min(left, Math.max(0, sizeOf(set) + Math.round((sizeOf(set) / before) * (wanted - before))));
    sizes.set(set, share);
    left -= share;
  }
  const largest = sorted[0];
  if (largest && left > 0) sizes.set(largest, (sizes.get(largest) ?? 0) + left);
  return sizes;
}
