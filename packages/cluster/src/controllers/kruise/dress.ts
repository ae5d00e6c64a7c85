import type { Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import { inPlaceGate, setGate } from './in-place.ts';
import { type LifecycleState, lifecycleLabel, lifecycleOf, lifecycleTimestamp } from './lifecycle.ts';

/** Readiness gate that is closed while a pod is being prepared for deletion. */
export const podReadyGate = 'KruisePodReady';

/** A pod as OpenKruise makes it: with a lifecycle state and its two readiness gates. */
export function dressPod(pod: Pod, now: number, state: LifecycleState = 'Normal'): Pod {
  const gates = pod.spec?.readinessGates ?? [];
  const missing = [podReadyGate, inPlaceGate].filter(
    (type) => !gates.some(({ conditionType }) => conditionType === type),
  );
  const { metadata } = pod;
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, [lifecycleLabel]: state },
      annotations: { ...metadata.annotations, [lifecycleTimestamp]: formatTime(now) },
    },
    spec: {
      containers: [],
      ...pod.spec,
      readinessGates: [...gates, ...missing.map((conditionType) => ({ conditionType }))],
    },
  };
}

/** States in which a hook may have closed the gate on purpose. */
const held: ReadonlySet<LifecycleState> = new Set(['PreparingUpdate', 'Updating', 'PreparingDelete']);

/** Opens the gate of a pod that is not being prepared for anything. */
export async function openPodReady(context: ReconcileContext, pod: Pod): Promise<void> {
  if (!held.has(lifecycleOf(pod))) await setGate(context, pod, podReadyGate, true);
}
