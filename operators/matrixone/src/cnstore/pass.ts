import { type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import type { Store } from '@coxswain/runtime/cache';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import type { ObjectKey } from '@coxswain/runtime/core';
import type { EventDetails, EventRecorder } from '@coxswain/runtime/events';
import {
  CNSet,
  CONDITION_HAKEEPER_SILENT,
  isLeftAlone,
  LABEL_INSTANCE,
  LogSet,
  MatrixOneCluster,
} from '../api/index.ts';
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

/**
 * Whether the cluster of a node is going or gone: nobody can be told, and nobody would send it sessions. So it is at the end of a set whose HAKeeper has
 * been silent for long: the log service goes only after the set, and the set would wait for somebody who is not there.
 */
export function isAbandoned({ cache, set, store }: Pass): boolean {
  const logSet = cache.store(LogSet).get(store.logSet);
  return (
    isClusterGone(set, store.logSet, (kind) => cache.store(kind)) ||
    (isLeaving(set) && logSet !== undefined && isSilent(logSet))
  );
}

/** Whether a set is being deleted, with all of its nodes. */
export function isLeaving(set: CNSet | undefined): boolean {
  return set?.metadata.deletionTimestamp !== undefined;
}

function isSilent(logSet: LogSet): boolean {
  return conditionsOf(logSet).some(({ type }) => type === CONDITION_HAKEEPER_SILENT);
}

/**
 * The same of a node's set and of the log service that the set names, each as far as it is there. A log service that was deleted by hand its cluster
 * makes again, and it is the same one for the node.
 */
export function isClusterGone(
  set: CNSet | undefined,
  logSet: ObjectKey,
  store: <K extends KubeObject>(kind: Kind<K>) => Store<K>,
): boolean {
  if (!set) return true;
  if (set.deps?.externalLogSet?.haKeeperEndpoint) return false;
  const log = store(LogSet).get(logSet);
  if (log && !log.metadata.deletionTimestamp) return false;
  const cluster = store(MatrixOneCluster).get(logSet);
  if (log && controllerOf(log)?.uid !== cluster?.metadata.uid) return true;
  return !cluster || isLeftAlone(cluster);
}
