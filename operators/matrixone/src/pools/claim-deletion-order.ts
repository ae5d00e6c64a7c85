import type { Pod } from '@coxswain/k8s';
import { parseTime } from '@coxswain/runtime/core';
import type { CNClaim } from '../api/index.ts';
import { isReadyPod } from './pod-health.ts';

/** A claim and its pod, if it has one. */
export interface ClaimedPod {
  readonly claim: CNClaim;
  readonly pod: Pod | undefined;
}

const claimRanks: Readonly<Record<string, number>> = { Pending: 0, Lost: 1, Outdated: 2, Bound: 3 };
const podRanks: Readonly<Record<string, number>> = { Pending: 0, Failed: 1, Running: 2 };

const cost = (pod: Pod | undefined): number => {
  const value = Number(pod?.metadata.annotations?.['controller.kubernetes.io/pod-deletion-cost'] ?? 0);
  return Number.isFinite(value) ? value : 0;
};

/** What makes a claim stay; the first difference decides. */
function worth({ claim, pod }: ClaimedPod): readonly number[] {
  return [
    pod ? 1 : 0,
    claimRanks[claim.status?.phase ?? 'Pending'] ?? 0,
    pod?.spec?.nodeName ? 1 : 0,
    podRanks[pod?.status?.phase ?? 'Pending'] ?? 0,
    pod && isReadyPod(pod) ? 1 : 0,
    cost(pod),
    -parseTime(claim.metadata.creationTimestamp ?? '1970-01-01T00:00:00Z'),
  ];
}

/** Which claim of a set goes first (`spec/matrixone.md` §3.5): the one whose end hurts least. Equal ones by name. */
export function compareDeletion(a: ClaimedPod, b: ClaimedPod): number {
  const [left, right] = [worth(a), worth(b)];
  const differs = left.findIndex((value, i) => value !== right[i]);
  if (differs < 0) return a.claim.metadata.name < b.claim.metadata.name ? -1 : 1;
  return (left[differs] ?? 0) - (right[differs] ?? 0);
}
