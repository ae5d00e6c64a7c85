import type { Container, ContainerRestartRule, Pod } from '@coxswain/k8s';
import type { AnyContainer, ContainerExit } from '../runtime.ts';

/** What a container is to its pod. */
export type ContainerSort = 'init' | 'sidecar' | 'main' | 'ephemeral';

/** A sidecar is an init container that is always restarted: it goes on beside the others. */
export function sortOf(container: AnyContainer, init: boolean): ContainerSort {
  if (!init) return 'main';
  return (container as Container).restartPolicy === 'Always' ? 'sidecar' : 'init';
}

function holds({ action, exitCodes }: ContainerRestartRule, code: number): boolean {
  if (action !== 'Restart' || !exitCodes) return false;
  const listed = exitCodes.values?.includes(code) ?? false;
  return exitCodes.operator === 'NotIn' ? !listed : listed;
}

/** Whether a container starts again after an end: by its own rules, its own policy, that of the pod. */
export function restarts(pod: Pod, container: AnyContainer, sort: ContainerSort, { exitCode }: ContainerExit): boolean {
  if (sort === 'ephemeral') return false;
  const { restartPolicy, restartPolicyRules = [] } = container as Container;
  if (restartPolicyRules.some((rule) => holds(rule, exitCode))) return true;
  const policy = restartPolicy ?? pod.spec?.restartPolicy ?? 'Always';
  // An init container that has done its work is not done again.
  if (sort === 'init') return exitCode !== 0 && policy !== 'Never';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);
}
