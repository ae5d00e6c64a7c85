/**
 * Gives pods a node: hard rules filter, wishes and the emptiest node decide. Knows pods, nodes and claims; nothing of who made them.
 */
import { Node, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import type { StoreEvent } from '@coxswain/runtime/cache';
import { deepEqual, keyOf, type ObjectKey } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../controllers/workload/recorder.ts';
import { tolerant } from '../controllers/workload/tolerant.ts';
import { Placements } from './placements.ts';
import { Scheduler } from './scheduler.ts';

/** The scheduler that pods ask for unless they name another. */
const schedulerName = 'default-scheduler';

/** Index of the pods that wait for a node, by namespace. */
const pendingPods = 'pending';

function isOurs(pod: Pod): boolean {
  return !pod.spec?.nodeName && (pod.spec?.schedulerName ?? schedulerName) === schedulerName;
}

/** Value of {@link pendingPods} for those that want to be near others. */
const sociable = '*near';

function pendingIn(pod: Pod): readonly string[] {
  if (!isOurs(pod)) return [];
  const near = pod.spec?.affinity?.podAffinity ? [sociable] : [];
  return [pod.metadata.namespace ?? '', '*', ...near];
}

/** Whether an event of a pod with a node may make room for a pod without one. */
function frees(event: StoreEvent<Pod>): boolean {
  const { object } = event;
  if (!object.spec?.nodeName || event.type === 'added') return false;
  if (event.type === 'deleted') return true;
  const { previous } = event;
  const { phase } = object.status ?? {};
  const ended = phase !== previous.status?.phase && (phase === 'Succeeded' || phase === 'Failed');
  const leaves = object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp;
  return ended || leaves || !deepEqual(object.metadata.labels, previous.metadata.labels);
}

/** Whether a pod has just come to a node: company for those that look for it. */
function arrives(event: StoreEvent<Pod>): boolean {
  return event.type === 'updated' && !event.previous.spec?.nodeName && event.object.spec?.nodeName !== undefined;
}

/** Whether an event of a node is more than its heartbeat. */
function changesNode(event: StoreEvent<Node>): boolean {
  if (event.type !== 'updated') return true;
  const { object, previous } = event;
  return (
    !deepEqual(object.spec, previous.spec) ||
    !deepEqual(object.metadata.labels, previous.metadata.labels) ||
    !deepEqual(object.status?.allocatable, previous.status?.allocatable)
  );
}

/** Adds the scheduler to the control plane's manager. */
export function scheduler(manager: Manager): void {
  const recorder = controllerRecorder(manager, schedulerName);
  const placements = new Placements();
  const pods = manager.cache.informer(Pod);
  pods.addIndex(pendingPods, pendingIn);
  pods.onEvent((event) => placements.take(event));
  manager.cache.informer(StorageClass);
  const pending = (namespace = '*'): ObjectKey[] => [...pods.store.by(pendingPods, namespace)].map(keyOf);
  manager
    .controller(Pod, 'scheduler')
    .where(({ object }) => isOurs(object))
    .watches(Pod, { where: frees, map: () => pending() })
    .watches(Pod, { where: arrives, map: () => pending(sociable) })
    .watches(Node, { where: changesNode, map: () => pending() })
    .watches(PersistentVolumeClaim, { map: (claim) => pending(claim.metadata.namespace) })
    .watches(StorageClass, { map: () => pending() })
    .options({ workers: 1 })
    .run(tolerant(new Scheduler({ random: manager.random, recorder, placements })));
}
