import type { Pod } from '@coxswain/k8s';

/** Whether a pod will never serve again. `Unknown`: its node is gone. */
export function hasEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded' || status?.phase === 'Unknown';
}

/** Whether Kubernetes says that a pod is ready. */
export function isReadyPod({ status }: Pod): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
}
