import { Pod } from '@coxswain/k8s';
import type { ReconcileContext } from '@coxswain/runtime/controller';
import type { EventDetails, EventRecorder } from '@coxswain/runtime/events';
import { CNSet, LABEL_INSTANCE, LogSet } from '../api/index.ts';
import type { Elapsed } from '../elapsed/index.ts';
import type { CnStore, CnStoreService } from './service.ts';
import { storeOfPod } from './store-of-pod.ts';

/** One pod in one pass, and whom to tell. */
export interface Pass extends ReconcileContext {
  readonly service: CnStoreService;
  readonly elapsed: Elapsed;
  readonly pod: Pod;
  readonly store: CnStore;
  /** Absent: it is gone already. */
  readonly set: CNSet | undefined;
  /** Tells of something at the pod; of a trouble also at its set, as the pod may soon be gone. */
  event(details: EventDetails): void;
}

/** What all passes have in common. */
export interface PassTools {
  readonly service: CnStoreService;
  readonly recorder: EventRecorder;
  readonly elapsed: Elapsed;
}

export function passOf(context: ReconcileContext, pod: Pod, { service, recorder, elapsed }: PassTools): Pass {
  const { namespace = '', name, labels } = pod.metadata;
  const set = context.cache.store(CNSet).get({ namespace, name: labels?.[LABEL_INSTANCE] ?? '' });
  const event = (details: EventDetails) => {
    recorder.event(Pod, pod, details);
    if (set && details.type === 'Warning')
      recorder.event(CNSet, set, { ...details, message: `${name}: ${details.message}` });
  };
  return { ...context, service, elapsed, pod, set, store: storeOfPod(pod, set), event };
}

/** Whether the cluster of a node is going or gone: nobody can be told, and nobody would send it sessions. */
export function isAbandoned({ cache, set, store }: Pass): boolean {
  return isClusterGone(set, cache.store(LogSet).get(store.logSet));
}

/** The same of a node's set and of the log service that the set names, each as far as it is there. */
export function isClusterGone(set: CNSet | undefined, logSet: LogSet | undefined): boolean {
  if (!set) return true;
  if (set.deps?.externalLogSet?.haKeeperEndpoint) return false;
  return !logSet || logSet.metadata.deletionTimestamp !== undefined;
}
