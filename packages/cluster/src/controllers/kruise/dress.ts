import type { Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { inPlaceGate, setGate } from './in-place.ts';
import { type LifecycleState, lifecycleOf, stateMarks } from './lifecycle.ts';

/** Readiness gate that is closed while a pod is being prepared for deletion. */
export const podReadyGate = 'KruisePodReady';

/** A pod as OpenKruise makes it: with a lifecycle state and its two readiness gates. */
export function dressPod(pod: Pod, now: number): Pod {
  const gates = pod.spec?.readinessGates ?? [];
  const missing = [podReadyGate, inPlaceGate].filter(
    (type) => !gates.some(({ conditionType }) => conditionType === type),
  );
  const { metadata } = pod;
  const marks = stateMarks('PreparingNormal', now);
  return {
    ...pod,
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...marks.labels },
      annotations: { ...metadata.annotations, ...marks.annotations },
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
