import { Pod } from '@coxswain/k8s';
import { merge } from '@coxswain/runtime/client';
import type { ReconcileContext, Reconciler, Result } from '@coxswain/runtime/controller';
import { formatTime, keyOf } from '@coxswain/runtime/core';
import { ignoreRace } from '../workload/tolerant.ts';

/** How long a pod is believed to be on its way out, in milliseconds. */
const timeout = 2 * 60_000;

/** Takes `DisruptionTarget` back from pods that were to be deleted and are still there. */
export const staleTarget: Reconciler = {
  async reconcile({ cache, client, clock, key }: ReconcileContext): Promise<Result> {
    const pod = cache.store(Pod).get(key);
    const { phase, conditions = [] } = pod?.status ?? {};
    const target = conditions.find(({ type }) => type === 'DisruptionTarget');
    if (!pod || pod.metadata.deletionTimestamp || target?.status !== 'True') return undefined;
    if (target.reason === 'TerminationByKubelet' || phase === 'Succeeded' || phase === 'Failed') return undefined;
    const left = Date.parse(target.lastTransitionTime ?? '') + timeout - clock.now();
    if (left > 0) return { requeueAfter: left };
    const { uid, resourceVersion } = pod.metadata;
    const observed = pod.status?.observedGeneration ?? target.observedGeneration;
    const reset = {
      type: target.type,
      status: 'False',
      lastTransitionTime: formatTime(clock.now()),
      ...(observed ? { observedGeneration: pod.metadata.generation } : {}),
    };
    const status = { conditions: conditions.map((condition) => (condition === target ? reset : condition)) };
    await client
      .of(Pod)
      .patch(keyOf(pod), merge({ metadata: { uid, resourceVersion }, status }), { subresource: 'status' })
      .catch(ignoreRace);
    return undefined;
  },
};
