import type { Pod } from '@coxswain/k8s';
import type { Lifecycle, LifecycleHook } from '@coxswain/k8s/kruise';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { formatTime } from '@coxswain/runtime/core';
import { patchMetadata } from './in-place.ts';

export const lifecycleLabel = 'lifecycle.apps.kruise.io/state';
export const lifecycleTimestamp = 'lifecycle.apps.kruise.io/timestamp';

/** Where a pod is on its way (`spec/embedded.md` §2.5); `''` when nobody has said. */
export type LifecycleState =
  | ''
  | 'PreparingNormal'
  | 'Normal'
  | 'PreparingUpdate'
  | 'Updating'
  | 'Updated'
  | 'PreparingDelete';

export function lifecycleOf(pod: Pod): LifecycleState {
  return (pod.metadata.labels?.[lifecycleLabel] as LifecycleState | undefined) ?? '';
}

function held(hook: LifecycleHook, pod: Pod): boolean[] {
  return [
    ...(hook.finalizersHandler ?? []).map((name) => pod.metadata.finalizers?.includes(name) ?? false),
    ...Object.entries(hook.labelsHandler ?? {}).map(([key, value]) => pod.metadata.labels?.[key] === value),
  ];
}

/** Whether somebody holds the pod at this point: it carries one of the finalizers or labels of the hook. */
export function isHooked(hook: LifecycleHook | undefined, pod: Pod): boolean {
  return hook !== undefined && held(hook, pod).includes(true);
}

/** Whether the pod carries all of them: everybody has taken hold of it (again). */
export function isAllHooked(hook: LifecycleHook | undefined, pod: Pod): boolean {
  return hook !== undefined && !held(hook, pod).includes(false);
}

/** Labels and annotations that say in which state a pod is. */
export function stateMarks(state: LifecycleState, now: number) {
  return { labels: { [lifecycleLabel]: state }, annotations: { [lifecycleTimestamp]: formatTime(now) } };
}

/** @returns whether the state is another one now */
export async function setLifecycle(
  { client, clock }: ReconcileContext,
  pod: Pod,
  state: LifecycleState,
): Promise<boolean> {
  if (pod.metadata.labels?.[lifecycleLabel] === state) return false;
  await patchMetadata(client, pod, stateMarks(state, clock.now()));
  return true;
}

/**
 * The state a pod moves on to by itself; `undefined`: it stays.
 * @param isChanging whether a change in place is under way
 */
export function nextState(
  lifecycle: Lifecycle | undefined,
  pod: Pod,
  updated: boolean,
  isChanging: boolean,
): LifecycleState | undefined {
  const back = lifecycle && !isAllHooked(lifecycle.inPlaceUpdate, pod) ? 'Updated' : 'Normal';
  switch (lifecycleOf(pod)) {
    case 'PreparingNormal': {
      const scheduled = pod.status?.conditions?.some(
        ({ type, status }) => type === 'PodScheduled' && status === 'True',
      );
      return (lifecycle?.preNormal ? isAllHooked(lifecycle.preNormal, pod) : scheduled) ? 'Normal' : undefined;
    }
    case 'PreparingUpdate':
      // the template went back while it was held
      return updated ? back : undefined;
    case 'Updating':
      return isChanging ? undefined : back;
    case 'Updated':
      return !lifecycle?.inPlaceUpdate || isAllHooked(lifecycle.inPlaceUpdate, pod) ? 'Normal' : undefined;
    default:
      return undefined;
  }
}
