import type { Pod, PodStatus } from '@coxswain/k8s';
import type { ContainerSlot } from './container-slot.ts';
import type { PodContainers } from './pod-containers.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

const succeeded = ({ state }: ContainerSlot) => state.kind === 'ended' && state.exit.exitCode === 0;
const dead = (slots: readonly ContainerSlot[]) => slots.every(({ state }) => state.kind !== 'running');

/** What the phase is when nothing of the pod will run any more; `undefined` while something may. */
function endPhase(containers: PodContainers): Phase | undefined {
  const { mains, inits } = containers;
  if (inits.some((slot) => slot.sort === 'init' && slot.over && !succeeded(slot))) return 'Failed';
  if (mains.length === 0 || !mains.every(({ over }) => over)) return undefined;
  return mains.every(succeeded) ? 'Succeeded' : 'Failed';
}

/** The phase by the states of a pod's containers: the kubelet's rule, by which a pod has ended only when its sidecars have, too. */
export function phaseOf(containers: PodContainers): Phase {
  const { mains, inits } = containers;
  const end = endPhase(containers);
  if (end && dead(containers.all)) return end;
  // The first start of everything is what Pending waits for; what runs once more was Running before.
  const initialising = inits.some((slot) => !slot.begun || (slot.sort === 'init' && !slot.passed));
  const waiting = mains.some((slot) => slot.state.kind === 'waiting' && !slot.begun);
  return (initialising || waiting) && !end ? 'Pending' : 'Running';
}

/** The phase of a pod that was stopped from outside: by its deletion, a deadline, the node. */
export function stoppedPhase(containers: PodContainers, pod: Pod): NonNullable<PodStatus['phase']> {
  if (!containers.all.some(({ begun, over }) => begun || over)) return pod.status?.phase ?? 'Pending';
  return containers.mains.every(succeeded) ? 'Succeeded' : 'Failed';
}
