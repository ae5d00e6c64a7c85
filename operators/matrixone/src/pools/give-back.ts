import type { Kind, KubeObject, Pod } from '@coxswain/k8s';
import type { Store } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';
import { type Clock, formatTime } from '@coxswain/runtime/core';
import { CNClaim, CNSet, LABEL_INSTANCE } from '../api/index.ts';
import { type CnStore, type CnStoreService, changeMetadata, isClusterGone, storeOfPod } from '../cnstore/index.ts';
import { isUnknownStore } from '../mo/index.ts';
import { otherHolder } from './claim-candidates.ts';
import { boundMarks, reclaimedMarks } from './pod-marks.ts';

/** What a controller of this room works with. */
export interface Means {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  store<K extends KubeObject>(kind: Kind<K>): Store<K>;
}

/** The compute node in a claim's pod. */
export function storeOf({ store }: Means, pod: Pod): CnStore {
  return storeOfPod(pod, setOf(store(CNSet), pod));
}

function setOf(sets: Store<CNSet>, { metadata: { namespace = '', labels } }: Pod): CNSet | undefined {
  return sets.get({ namespace, name: labels?.[LABEL_INSTANCE] ?? '' });
}

/**
 * Gives a pod back to its pool: it takes no new sessions, and serves those it has to their end.
 * @param claim that it was for; of one that is gone its name
 * @throws ApiError Conflict
 */
export async function reclaim(means: Means, service: CnStoreService, pod: Pod, claim: CNClaim): Promise<void> {
  const { client, clock, signal } = means;
  const set = setOf(means.store(CNSet), pod);
  const store = storeOfPod(pod, set);
  // Without its cluster there is nobody to tell, and nobody who would send sessions.
  if (!isClusterGone(set, store.logSet, (kind) => means.store(kind))) {
    try {
      await service.drain(store, signal);
    } catch (error) {
      if (!isUnknownStore(error)) throw error;
    }
  }
  await changeMetadata(client, pod, reclaimedMarks(claim, pod, formatTime(clock.now())), signal);
}

/** Takes a claim's mark from a pod: it is the claim's that names it, if there is one, and its pool's otherwise. @throws ApiError Conflict */
export async function giveBack(means: Means, service: CnStoreService, pod: Pod, claim: CNClaim): Promise<void> {
  const claims = means.store(CNClaim).list({ namespace: pod.metadata.namespace ?? '' });
  const holder = otherHolder(claim, pod.metadata.name, claims);
  if (holder) await changeMetadata(means.client, pod, boundMarks(holder), means.signal);
  else await reclaim(means, service, pod, claim);
}
