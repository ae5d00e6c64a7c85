import type { KubeObject, LabelSelector, Pod } from '@coxswain/k8s';
import { controllerOf } from '@coxswain/runtime/controller';
import { keyOf, matchesLabels, type ObjectKey, selectorFromField } from '@coxswain/runtime/core';

/** Workloads that may adopt a pod nobody controls. */
export function* orphanMatches(
  pod: Pod,
  workloads: Iterable<KubeObject & { readonly spec?: { readonly selector?: LabelSelector } }>,
): Iterable<ObjectKey> {
  if (controllerOf(pod)) return;
  for (const workload of workloads) {
    const selector = workload.spec?.selector;
    if (selector && matchesLabels(selectorFromField(selector), pod.metadata.labels)) yield keyOf(workload);
  }
}
