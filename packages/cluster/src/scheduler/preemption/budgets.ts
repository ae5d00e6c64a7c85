import type { PodDisruptionBudget } from '@coxswain/k8s';
import { matchesLabels } from '@coxswain/runtime/core';
import { compileSelector } from '../state/affinity-term.ts';
import type { PodInfo } from '../state/pod-info.ts';

/** Splits pods, in their order, into those that a disruption budget would rather keep, and the others. */
export function splitByBudgets(
  pods: readonly PodInfo[],
  budgets: readonly PodDisruptionBudget[],
): { readonly violating: readonly PodInfo[]; readonly others: readonly PodInfo[] } {
  const left = budgets.map(({ status }) => status?.disruptionsAllowed ?? 0);
  const selectors = budgets.map(({ spec }) => compileSelector(spec?.selector));
  const violating: PodInfo[] = [];
  const others: PodInfo[] = [];
  for (const info of pods) {
    let violates = false;
    budgets.forEach(({ metadata, status }, i) => {
      const selector = selectors[i] ?? [];
      if (metadata.namespace !== info.namespace || selector.length === 0) return;
      if (!matchesLabels(selector, info.pod.metadata.labels)) return;
      // its going is in the budget's figures already
      if (status?.disruptedPods?.[info.pod.metadata.name] !== undefined) return;
      left[i] = (left[i] ?? 0) - 1;
      violates ||= (left[i] ?? 0) < 0;
    });
    (violates ? violating : others).push(info);
  }
  return { violating, others };
}
