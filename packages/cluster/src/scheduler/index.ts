/**
 * Gives pods a node: hard rules filter, the emptiest node wins. Knows pods, nodes and claims; nothing of who made them.
 */
import { Node, PersistentVolumeClaim, Pod, StorageClass } from '@coxswain/k8s';
import type { ObjectKey } from '@coxswain/runtime/core';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../controllers/workload/recorder.ts';
import { podsByNode, Scheduler } from './scheduler.ts';

/** Keys of the pods that wait for a node: a change of nodes or claims may be what they wait for. */
function* pending(pods: Iterable<Pod>, namespace?: string): Iterable<ObjectKey> {
  for (const pod of pods)
    if (!pod.spec?.nodeName && (namespace === undefined || pod.metadata.namespace === namespace)) yield keyOf(pod);
}

/** Adds the scheduler to the control plane's manager. */
export function scheduler(manager: Manager): void {
  const recorder = controllerRecorder(manager, 'default-scheduler');
  manager.cache.informer(Pod).addIndex(podsByNode, (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
  manager.cache.informer(StorageClass);
  manager
    .controller(Pod, 'scheduler')
    .where(({ object }) => !object.spec?.nodeName)
    .watches(Node, { map: (_node, { cache }) => pending(cache.store(Pod).list()) })
    .watches(PersistentVolumeClaim, {
      map: (claim, { cache }) => pending(cache.store(Pod).list(), claim.metadata.namespace),
    })
    .options({ workers: 1 })
    .run(new Scheduler({ random: manager.random, recorder }));
}
