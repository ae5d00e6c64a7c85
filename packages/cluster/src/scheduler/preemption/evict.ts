import { Pod } from '@coxswain/k8s';
import { type Client, strategic } from '@coxswain/runtime/client';
import { type Clock, formatTime, keyOf } from '@coxswain/runtime/core';
import type { EventRecorder } from '@coxswain/runtime/events';
import { ignoreRace } from '../../controllers/workload/tolerant.ts';
import type { PodInfo } from '../state/pod-info.ts';

export interface Eviction {
  readonly client: Client;
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  /** Who takes the room. */
  readonly preemptor: PodInfo;
  readonly node: string;
}

/** Makes a pod go for a more important one. One that goes already is left alone. */
export async function evict(victim: Pod, { client, clock, recorder, preemptor, node }: Eviction): Promise<void> {
  if (victim.metadata.deletionTimestamp) return;
  const { uid, generation } = victim.metadata;
  const scheduler = preemptor.pod.spec?.schedulerName ?? '';
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'PreemptionByScheduler',
    message: `${scheduler}: preempting to accommodate a higher priority pod`,
    lastTransitionTime: formatTime(clock.now()),
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
  const patch = strategic({ metadata: { uid }, status: { conditions: [condition] } });
  const known = await client.of(Pod).patch(keyOf(victim), patch, { subresource: 'status' }).catch(ignoreRace);
  if (!known) return;
  await client
    .of(Pod)
    .delete(keyOf(victim), uid ? { preconditions: { uid } } : {})
    .catch(ignoreRace);
  recorder.event(Pod, victim, {
    reason: 'Preempted',
    action: 'Preempting',
    message: `Preempted by pod ${preemptor.uid} on node ${node}`,
  });
}
