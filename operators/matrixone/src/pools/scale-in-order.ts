import type { Pod } from '@coxswain/k8s';
import { parseTime } from '@coxswain/runtime/core';
import { ANNOTATION_RECLAIMED_AT, LABEL_LAST_OWNER, phaseOf } from '../api/index.ts';

const ranks = { Terminating: 0, Unknown: 1, Idle: 2, Draining: 3, Bound: 3 } as const;

const created = (pod: Pod) => parseTime(pod.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z');

/** Whether a pod has served a claim before, and so may have a warm cache. */
function wasClaimed({ metadata }: Pod): boolean {
  return (
    metadata.labels?.[LABEL_LAST_OWNER] !== undefined || metadata.annotations?.[ANNOTATION_RECLAIMED_AT] !== undefined
  );
}

/** Which pod goes first: what serves least, was never claimed, and is newest. Equal ones by name, so that it is always the same. */
export function compareScaleIn(a: Pod, b: Pod): number {
  return (
    ranks[phaseOf(a)] - ranks[phaseOf(b)] ||
    Number(wasClaimed(a)) - Number(wasClaimed(b)) ||
    created(b) - created(a) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}
