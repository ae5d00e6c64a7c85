import type { Pod } from '@coxswain/k8s';
import { KRUISE_SPECIFIED_DELETE, LABEL_DIRECT_POD, phaseOf } from '../api/index.ts';

/** Whether somebody else made a pod: OpenKruise neither stops nor deletes it, so that is done here. */
export function isDirect({ metadata }: Pod): boolean {
  return metadata.labels?.[LABEL_DIRECT_POD] !== undefined;
}

/** Whether a direct pod is not needed any more: no claim takes it twice. */
export function isDone(pod: Pod): boolean {
  const phase = phaseOf(pod);
  return phase === 'Idle' || phase === 'Terminating' || pod.metadata.labels?.[KRUISE_SPECIFIED_DELETE] !== undefined;
}
