import type { Pod } from '@coxswain/k8s';
import { MAIN_CONTAINER } from '../api/index.ts';

/** Since when MatrixOne runs in a pod, as its status says; `undefined` when it does not run. */
export function runsSince(pod: Pod): string | undefined {
  return pod.status?.containerStatuses?.find(({ name }) => name === MAIN_CONTAINER)?.state?.running?.startedAt;
}
