import type { Pod } from '@coxswain/k8s';
import { matchesLabels, parseTime, selectorFromField } from '@coxswain/runtime/core';
import type { CNClaim } from '../api/index.ts';
import { claimantOf, isLeaving, LABEL_LAST_OWNER, LABEL_OUTDATED, LABEL_POOL, phaseOf, podOf } from '../api/index.ts';
import { hasEnded } from './pod-health.ts';

/** The live claim other than `claim` that is bound to a pod, if there is one. */
export function otherHolder(claim: CNClaim, podName: string, claims: Iterable<CNClaim>): CNClaim | undefined {
  for (const other of claims) {
    if (other.metadata.name !== claim.metadata.name && !isLeaving(other) && podOf(other) === podName) return other;
  }
  return undefined;
}

/** Pods that a claim took before it could note them down: it was cut off in between. */
export function orphans(claim: CNClaim, pods: readonly Pod[], claims: readonly CNClaim[]): readonly Pod[] {
  return pods.filter(
    (pod) =>
      phaseOf(pod) === 'Bound' &&
      claimantOf(pod) === claim.metadata.name &&
      !isLeaving(pod) &&
      !hasEnded(pod) &&
      pod.metadata.name !== claim.spec?.sourcePod?.podName &&
      !otherHolder(claim, pod.metadata.name, claims),
  );
}

/**
 * Pods that a claim may take, the best first: those that its owner had last, which may have its data in their cache, then the
 * oldest (upstream compares only the seconds of the minute).
 * @throws SelectorError when the claim's selector is none
 */
export function candidates(claim: CNClaim, pods: readonly Pod[], claims: readonly CNClaim[]): readonly Pod[] {
  const { selector, ownerName, poolName } = claim.spec ?? {};
  const wanted = selectorFromField(selector);
  const hadLast = ({ metadata }: Pod) => ownerName !== undefined && metadata.labels?.[LABEL_LAST_OWNER] === ownerName;
  const created = ({ metadata }: Pod) => parseTime(metadata.creationTimestamp ?? '1970-01-01T00:00:00Z');
  return pods
    .filter((pod) => {
      const labels = pod.metadata.labels ?? {};
      return (
        phaseOf(pod) === 'Idle' &&
        !isLeaving(pod) &&
        !hasEnded(pod) &&
        labels[LABEL_OUTDATED] === undefined &&
        (!poolName || labels[LABEL_POOL] === poolName) &&
        matchesLabels(wanted, labels) &&
        !otherHolder(claim, pod.metadata.name, claims)
      );
    })
    .toSorted(
      (a, b) =>
        Number(hadLast(b)) - Number(hadLast(a)) ||
        created(a) - created(b) ||
        (a.metadata.name < b.metadata.name ? -1 : 1),
    );
}
