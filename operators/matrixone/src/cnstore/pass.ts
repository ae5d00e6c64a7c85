import { type Kind, type KubeObject, Pod } from '@coxswain/k8s';
import { conditionsOf } from '@coxswain/runtime/apply';
import type { Store } from '@coxswain/runtime/cache';
import { findSame } from '@coxswain/runtime/client';
import { controllerOf, type ReconcileContext } from '@coxswain/runtime/controller';
import { conflict, type ObjectKey } from '@coxswain/runtime/core';
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
import { stageOf } from './stage.ts';
import { storeOfPod } from './store-of-pod.ts';

/** Where objects are looked up. */
type Look = <K extends KubeObject>(kind: Kind<K>) => Pick<Store<K>, 'get'>;

/** One pod in one pass, and whom to tell. */
export interface Pass extends ReconcileContext {
  readonly service: CnStoreService;
  readonly elapsed: Elapsed;
  readonly pod: Pod;
  readonly store: CnStore;
  /** Absent: it is gone already. */
  readonly set: CNSet | undefined;
  /** What is known of the log service and its cluster. */
  readonly known: Look;
  /** Tells of something at the pod; of a trouble also at its set, as the pod may soon be gone. */
  event(details: EventDetails): void;
}

/** What all passes have in common. */
export interface PassTools {
  readonly service: CnStoreService;
  readonly recorder: EventRecorder;
  readonly elapsed: Elapsed;
}

const keyOfSet = ({ metadata: { namespace = '', labels } }: Pod): ObjectKey => ({
  namespace,
  name: labels?.[LABEL_INSTANCE] ?? '',
});

export function passOf(context: ReconcileContext, pod: Pod, { service, recorder, elapsed }: PassTools): Pass {
  const { name } = pod.metadata;
  const known: Look = (kind) => context.cache.store(kind);
  const set = known(CNSet).get(keyOfSet(pod));
  const event = (details: EventDetails) => {
    recorder.event(Pod, pod, details);
    if (set && details.type === 'Warning')
      recorder.event(CNSet, set, { ...details, message: `${name}: ${details.message}` });
  };
  return { ...context, service, elapsed, pod, set, known, store: storeOfPod(pod, set), event };
}

/**
 * The same pass by what the server says of the pod, its set and, where their end counts, the log service and its cluster. Asked before a node is let go
 * with whatever it still serves, which nobody would undo: by what is known here it may be that of a set that drains by now, or gives more time.
 * @throws ApiError Conflict when the pod is not what the pass is about any more
 */
export async function asServerSays(pass: Pass): Promise<Pass> {
  const { client, signal } = pass;
  const pod = await findSame(client, Pod, pass.pod, signal);
  if (!pod || stageOf(pod) !== stageOf(pass.pod))
    throw conflict(Pod, pass.pod.metadata.name, 'it is in another part of its life, which is not known here yet');
  // Nothing has no name.
  const find = async <K extends KubeObject>(kind: Kind<K>, key: ObjectKey) =>
    key.name === '' ? undefined : client.of(kind).find(key, { signal });
  const set = await find(CNSet, keyOfSet(pod));
  const now = { ...pass, pod, set, store: storeOfPod(pod, set) };
  if (!set || !isAbandoned(now)) return now;
  const { logSet } = now.store;
  const found = new Map<unknown, KubeObject | undefined>([
    [LogSet, await find(LogSet, logSet)],
    [MatrixOneCluster, await find(MatrixOneCluster, logSet)],
  ]);
  const known: Look = <K extends KubeObject>(kind: Kind<K>) => ({ get: () => found.get(kind) as K | undefined });
  return { ...now, known };
}

/**
 * Whether the cluster of a node is going or gone: nobody can be told, and nobody would send it sessions. So it is at the end of a set whose HAKeeper has
 * been silent for long: the log service goes only after the set, and the set would wait for somebody who is not there.
 */
export function isAbandoned({ known, set, store }: Pass): boolean {
  const logSet = known(LogSet).get(store.logSet);
  return isClusterGone(set, store.logSet, known) || (isLeaving(set) && logSet !== undefined && isSilent(logSet));
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
export function isClusterGone(set: CNSet | undefined, logSet: ObjectKey, store: Look): boolean {
  if (!set) return true;
  if (set.deps?.externalLogSet?.haKeeperEndpoint) return false;
  const log = store(LogSet).get(logSet);
  if (log && !log.metadata.deletionTimestamp) return false;
  const cluster = store(MatrixOneCluster).get(logSet);
  if (log && controllerOf(log)?.uid !== cluster?.metadata.uid) return true;
  return !cluster || isLeftAlone(cluster);
}
