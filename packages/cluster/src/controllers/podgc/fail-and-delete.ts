import { Pod } from '@coxswain/k8s';
import { strategic } from '@coxswain/runtime/client';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import { formatTime, keyOf, keyString } from '@coxswain/runtime/core';

/** Why a pod is disrupted, as its condition says it. */
export interface Disruption {
  readonly reason: string;
  readonly message: string;
}

/** Ends a pod that nobody else will end: it has failed, and is deleted at once. */
export async function failAndDelete(
  { client, clock, log }: ReconcileContext,
  pod: Pod,
  disruption?: Disruption,
): Promise<void> {
  const key = keyOf(pod);
  const { uid, generation } = pod.metadata;
  log.info({ pod: keyString(key), node: pod.spec?.nodeName }, 'nobody will end a pod; it is deleted at once');
  if (pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed') {
    const observedGeneration = generation === undefined ? {} : { observedGeneration: generation };
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      ...disruption,
      lastTransitionTime: formatTime(clock.now()),
      ...observedGeneration,
    };
    const status = { phase: 'Failed', ...observedGeneration, ...(disruption ? { conditions: [condition] } : {}) };
    await client.of(Pod).patch(key, strategic({ metadata: { uid }, status }), { subresource: 'status' });
  }
  await client.of(Pod).delete(key, { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) });
}
