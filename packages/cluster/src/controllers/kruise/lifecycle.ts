import type { Pod } from '@coxswain/k8s';
import type { LifecycleHook } from '@coxswain/k8s/kruise';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import { patchMetadata } from './in-place.ts';

export const lifecycleLabel = 'lifecycle.apps.kruise.io/state';
export const lifecycleTimestamp = 'lifecycle.apps.kruise.io/timestamp';

/** Where a pod is on its way (`spec/embedded.md` §2.5). */
export type LifecycleState =
  | 'PreparingNormal'
  | 'Normal'
  | 'PreparingUpdate'
  | 'Updating'
  | 'Updated'
  | 'PreparingDelete';

export function lifecycleOf(pod: Pod): LifecycleState {
  return (pod.metadata.labels?.[lifecycleLabel] as LifecycleState | undefined) ?? 'Normal';
}

/** Whether a hook names anything by which somebody could hold a pod. */
export function hasHandler(hook: LifecycleHook | undefined): boolean {
  return (hook?.finalizersHandler ?? []).length + Object.keys(hook?.labelsHandler ?? {}).length > 0;
}

/** Whether somebody holds the pod at this point: it carries all finalizers (or labels) of the hook. */
export function isHooked(hook: LifecycleHook | undefined, pod: Pod): boolean {
  return (
    hasHandler(hook) &&
    (hook?.finalizersHandler ?? []).every((name) => pod.metadata.finalizers?.includes(name)) &&
    Object.entries(hook?.labelsHandler ?? {}).every(([key, value]) => pod.metadata.labels?.[key] === value)
  );
}

export async function setLifecycle(
  { client, clock }: ReconcileContext,
  pod: Pod,
  state: LifecycleState,
): Promise<void> {
  if (pod.metadata.labels?.[lifecycleLabel] === state) return;
  await patchMetadata(client, pod, {
    labels: { [lifecycleLabel]: state },
    annotations: { [lifecycleTimestamp]: formatTime(clock.now()) },
  });
}
