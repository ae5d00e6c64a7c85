import type { Pod, PodCondition, PodStatus } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { Sandbox } from './sandbox.ts';

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
  const text = closed.map(
    (gate) => `corresponding condition of pod readiness gate "${gate.conditionType}" does not exist or is not True.`,
  );
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: text.join(', ') };
}

function containersVerdict(sandbox: Sandbox): Verdict {
  if (sandbox.containersReady) return yes;
  const unready = sandbox.statuses(false).filter(({ ready }) => !ready);
  if (sandbox.phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.map(({ name }) => name).join(' ')}]`,
  };
}

function initializedVerdict(sandbox: Sandbox): Verdict {
  if (sandbox.initialized) return yes;
  const waiting = sandbox.statuses(true).filter(({ ready }) => !ready);
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${waiting.map(({ name }) => name).join(' ')}]`,
  };
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

/** What a node says of a pod whose containers cannot be made yet. */
export function waitingStatus(pod: Pod, hostIP: string, now: number): PodStatus {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name);
  const containers: Verdict = {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${names.join(' ')}]`,
  };
  const verdicts: readonly [string, Verdict][] = [
    ['PodReadyToStartContainers', { status: 'False' }],
    ['Ready', containers],
    ['ContainersReady', containers],
  ];
  return {
    phase: 'Pending',
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    conditions: verdicts.map(([type, verdict]) => toCondition(pod, type, verdict, now)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: pod.status?.startTime ?? formatTime(now),
    containerStatuses: (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({
      name,
      image,
      imageID: '',
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
      ready: false,
      restartCount: 0,
      started: false,
    })),
  };
}

/** The part of a pod's status that its node writes, as it should be now. */
export function podStatus(pod: Pod, sandbox: Sandbox, hostIP: string, now: number): PodStatus {
  const containers = containersVerdict(sandbox);
  const verdicts: readonly [string, Verdict][] = [
    ['PodReadyToStartContainers', yes],
    ['Initialized', initializedVerdict(sandbox)],
    ['Ready', readiness(pod, containers)],
    ['ContainersReady', containers],
  ];
  const inits = sandbox.statuses(true);
  return {
    phase: sandbox.phase,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    conditions: verdicts.map(([type, verdict]) => toCondition(pod, type, verdict, now)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: sandbox.address,
    podIPs: [{ ip: sandbox.address }],
    startTime: formatTime(sandbox.startTime),
    containerStatuses: sandbox.statuses(false),
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
  };
}
