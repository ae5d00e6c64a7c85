import type { Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import { inPlaceGate, setGate } from './in-place.ts';
import { lifecycleLabel, lifecycleOf, lifecycleTimestamp } from './lifecycle.ts';

/** Readiness gate that is closed while a pod is being prepared for deletion. */
export const podReadyGate = 'KruisePodReady';

/** A pod as OpenKruise makes it: lifecycle state Normal, and its two readiness gates. */
export function dressPod(pod: Pod, now: number): Pod {
  const gates = pod.spec?.readinessGates ?? [];
  const missing = [podReadyGate, inPlaceGate].filter(
    (type) => !gates.some(({ conditionType }) => conditionType === type),
  );
  const { metadata } = pod;
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [lifecycleLabel]: 'Normal' },
      annotations: { ...metadata.annotations, [lifecycleTimestamp]: formatTime(now) },
    },
    spec: {
      containers: [],
      ...pod.spec,
      readinessGates: [...gates, ...missing.map((conditionType) => ({ conditionType }))],
    },
  };
}

/** Opens the gate of a pod that is not being prepared for deletion. */
export async function openPodReady(context: ReconcileContext, pod: Pod): Promise<void> {
  if (lifecycleOf(pod) !== 'PreparingDelete') await setGate(context, pod, podReadyGate, true);
}
