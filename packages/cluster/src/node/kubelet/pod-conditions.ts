import type { Pod, PodCondition } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { ContainerSlot } from './container-slot.ts';
import type { PodContainers } from './pod-containers.ts';
import type { Phase } from './pod-phase.ts';

interface Verdict {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

const yes: Verdict = { status: 'True' };

function conditionOf(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** A pod is ready when its containers are and each readiness gate's condition is True. */
function readiness(pod: Pod, containersReady: Verdict): Verdict {
  if (containersReady.status === 'False') return containersReady;
  const closed = (pod.spec?.readinessGates ?? []).filter(
    (gate) => conditionOf(pod, gate.conditionType)?.status !== 'True',
  );
  if (closed.length === 0) return yes;
  const text = closed.map(({ conditionType }) => {
    const { status } = conditionOf(pod, conditionType) ?? {};
    return status === undefined
      ? `corresponding condition of pod readiness gate "${conditionType}" does not exist.`
      : `the status of pod readiness gate "${conditionType}" is not "True", but ${status}`;
  });
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: text.join(', ') };
}

const names = (slots: readonly ContainerSlot[]) => slots.map(({ name }) => name).join(' ');

function containersVerdict({ mains, inits }: PodContainers, phase: Phase): Verdict {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const unready = [...inits.filter(({ sort }) => sort === 'sidecar'), ...mains].filter(({ ready }) => !ready);
  if (unready.length === 0) return yes;
  const message = `containers with unready status: [${names(unready)}]`;
  return { status: 'False', reason: 'ContainersNotReady', message };
}

function initializedVerdict({ inits, mains }: PodContainers, phase: Phase): Verdict {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  // Once the pod has begun, a sidecar that starts again takes nothing back.
  if (mains.some(({ begun }) => begun)) return yes;
  const incomplete = inits.filter(({ passed }) => !passed);
  if (incomplete.length === 0) return yes;
  const message = `containers with incomplete status: [${names(incomplete)}]`;
  return { status: 'False', reason: 'ContainersNotInitialized', message };
}

function toCondition(pod: Pod, type: string, verdict: Verdict, now: number): PodCondition {
  const before = conditionOf(pod, type);
  const same = before?.status === verdict.status;
  return {
    type,
    status: verdict.status,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    lastTransitionTime: same && before?.lastTransitionTime ? before.lastTransitionTime : formatTime(now),
    ...(verdict.reason ? { reason: verdict.reason } : {}),
    ...(verdict.message ? { message: verdict.message } : {}),
  };
}

/**
 * The conditions a node writes.
 * @param placed whether the pod has its place on the node: address, volumes
 */
export function podConditions(
  pod: Pod,
  containers: PodContainers,
  { phase, placed, now }: { readonly phase: Phase; readonly placed: boolean; readonly now: number },
): PodCondition[] {
  const ready = containersVerdict(containers, phase);
  const why = phase === 'Pending' ? 'no pod sandbox exists' : 'pod sandbox is not ready';
  const place: Verdict = placed ? yes : { status: 'False', reason: 'PodSandboxNotReady', message: why };
  const verdicts: readonly [string, Verdict][] = [
    ['PodScheduled', yes],
    ['PodReadyToStartContainers', place],
    ['Initialized', initializedVerdict(containers, phase)],
    ['Ready', readiness(pod, ready)],
    ['ContainersReady', ready],
  ];
  return verdicts.map(([type, verdict]) => toCondition(pod, type, verdict, now));
}
