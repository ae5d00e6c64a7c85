import type { Pod, PodStatus } from '@coxswain/k8s';
import { deepEqual, formatTime } from '@coxswain/runtime/core';
import { podConditions } from './pod-conditions.ts';
import type { PodContainers } from './pod-containers.ts';
import type { Phase } from './pod-phase.ts';

export interface PodView {
  readonly containers: PodContainers;
  readonly phase: Phase;
  /** Why the pod failed as a whole. */
  readonly reason?: string;
  readonly message?: string;
  readonly hostIP: string;
  /** None while the pod has no place. */
  readonly addresses: readonly string[];
  /** Whether its place is still there. */
  readonly placed: boolean;
  /** Milliseconds since the epoch. */
  readonly startTime: number;
}

/** The part of a pod's status that its node writes, as it should be now. */
export function podStatus(pod: Pod, view: PodView, now: number): PodStatus {
  const { containers, phase, reason, message, hostIP, addresses, placed, startTime } = view;
  const [podIP] = addresses;
  const inits = containers.inits.map(({ status }) => status);
  const ephemeral = containers.all.filter(({ sort }) => sort === 'ephemeral').map(({ status }) => status);
  return {
    phase,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    conditions: podConditions(pod, containers, { phase, placed, now }),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(podIP ? { podIP, podIPs: addresses.map((ip) => ({ ip })) } : {}),
    startTime: formatTime(startTime),
    containerStatuses: containers.mains.map(({ status }) => status),
    ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
  };
}

/** The status of a pod that its node does not take. */
export function refusedStatus(pod: Pod, reason: string, message: string, now: number): PodStatus {
  return {
    phase: 'Failed',
    reason,
    message: `Pod was rejected: ${message}`,
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    startTime: formatTime(now),
  };
}

/** The server writes times that nobody gave as null. */
function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

/** The fields of `wanted` that the pod's status does not have yet; conditions only those that differ. */
export function statusDifference(pod: Pod, wanted: PodStatus): object | undefined {
  const have: Readonly<Record<string, unknown>> = { ...pod.status };
  const changed = Object.entries(wanted).filter(
    ([field, value]) => field !== 'conditions' && !deepEqual(have[field], value),
  );
  const conditions = (wanted.conditions ?? []).filter((condition) => {
    const before = pod.status?.conditions?.find(({ type }) => type === condition.type);
    return !deepEqual(before && withoutNulls(before), condition);
  });
  if (changed.length === 0 && conditions.length === 0) return undefined;
  // conditions are merged: what one no longer says has to be taken away
  const whole = conditions.map((condition) => ({ reason: null, message: null, ...condition }));
  return { ...Object.fromEntries(changed), ...(whole.length > 0 ? { conditions: whole } : {}) };
}
