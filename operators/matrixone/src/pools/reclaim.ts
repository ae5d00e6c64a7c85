import type { Pod } from '@coxswain/k8s';
import type { ActorContext } from '@coxswain/runtime/actor';
import { formatTime } from '@coxswain/runtime/core';
import { type CNClaim, CNSet, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import { type CnStore, type CnStoreService, changeMetadata, storeOfPod } from '../cnstore/index.ts';
import { isUnknownStore } from '../mo/index.ts';
import { reclaimedMarks } from './pod-marks.ts';

type Context = ActorContext<CNClaim>;

/** The compute node in a claim's pod. */
export function storeOf({ store }: Context, pod: Pod): CnStore {
  const { namespace, labels } = pod.metadata;
  const set = store(CNSet).get({ namespace: namespace ?? '', name: labels?.[LABEL_INSTANCE] ?? '' });
  return storeOfPod(pod, set);
}

/** Gives a pod back to its pool: it takes no new sessions, and serves those it has to their end. @throws ApiError Conflict */
export async function reclaim(context: Context, service: CnStoreService, pod: Pod): Promise<void> {
  const { client, clock, object, signal } = context;
  const store = storeOf(context, pod);
  const logSet = context.store(LogSet).get(store.logSet);
  // Without a log service there is nobody to tell, and nobody who would send sessions.
  if (logSet && !logSet.metadata.deletionTimestamp) {
    try {
      await service.drain(store, signal);
    } catch (error) {
      if (!isUnknownStore(error)) throw error;
    }
  }
  await changeMetadata(client, pod, reclaimedMarks(object, pod, formatTime(clock.now())), signal);
}
