import type { KubeObject } from '@coxswain/k8s';

/** Names the moment of a store's last change, for `Elapsed`. */
export function storeMoment({ metadata }: KubeObject, podName: string | undefined): string {
  return `${metadata.uid} ${podName}`;
}
