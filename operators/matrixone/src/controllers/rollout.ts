import type { KubeObject } from '@coxswain/k8s';

interface Rolled extends KubeObject {
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

/** What a workload still has to do before all its pods are new and ready; `undefined` when they are. */
export function pendingRollout(workload: Rolled): string | undefined {
  const wanted = workload.spec.replicas ?? 1;
  const updated = workload.status?.updatedReadyReplicas ?? 0;
  const name = `${workload.kind ?? 'workload'} ${workload.metadata.name}`;
  if (!isObserved(workload)) return `${name} has not been looked at since it changed`;
  return updated >= wanted ? undefined : `${name} has ${updated} of ${wanted} pods updated and ready`;
}
