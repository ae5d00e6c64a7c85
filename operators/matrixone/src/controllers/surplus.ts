import type { KubeObject, Pod } from '@coxswain/k8s';
import type { PodTrouble } from './pod-trouble.ts';

interface Workload extends KubeObject {
  readonly spec: { readonly replicas?: number };
}

/** Whether a pod is the workload's and takes a place: one that has ended takes none, and one that others made is theirs. */
function isIts({ metadata }: Workload, pod: Pod): boolean {
  const isOwned = pod.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === metadata.uid);
  return isOwned === true && pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded';
}

/**
 * Says that a workload has more pods than wanted: the one that was made for a rollout, which stays until the others have been ready for a while, or
 * nodes that hand their sessions over. `undefined` when it has not. The sentence stays the same on the way, as each change of a condition is a write.
 * @param troubles by the names of pods; one that does not go although its time is up is told of there, and waited for no longer
 */
export function pendingRemoval(
  workload: Workload,
  pods: readonly Pod[],
  troubles: ReadonlyMap<string, PodTrouble>,
): string | undefined {
  const left = pods.filter(
    (pod) => isIts(workload, pod) && troubles.get(pod.metadata.name)?.reason !== 'StuckTerminating',
  );
  if (left.length <= (workload.spec.replicas ?? 1)) return undefined;
  const { kind = 'workload', metadata } = workload;
  return `${kind} ${metadata.name} has pods that are not wanted any more and are not gone yet`;
}
