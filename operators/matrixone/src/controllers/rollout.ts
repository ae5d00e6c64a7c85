import type { KubeObject } from '@coxswain/k8s';

/** What a workload says of its rollout. */
export interface Rolled extends KubeObject {
  readonly spec: { readonly replicas?: number };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly readyReplicas?: number;
    readonly updatedReadyReplicas?: number;
  };
}

/** Whether the workload's controller has seen the newest spec. */
function isObserved({ metadata, status }: Rolled): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/**
 * Says that a workload still has something to do before all its pods are new and ready; `undefined` when they are.
 * The sentence stays the same on the way: how far it is stands in the status, and each change of a condition is a write.
 */
export function pendingRollout(workload: Rolled): string | undefined {
  const wanted = workload.spec.replicas ?? 1;
  const updated = workload.status?.updatedReadyReplicas ?? 0;
  if (isObserved(workload) && updated >= wanted) return undefined;
  return `${workload.kind ?? 'workload'} ${workload.metadata.name} is being rolled out`;
}
