/** DaemonSets: a pod on every node that they are for, bound there by the scheduler. */
import { ControllerRevision, DaemonSet, Node, Pod } from '@coxswain/k8s';
import type { Predicate } from '@coxswain/runtime/controller';
import { deepEqual, keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { DaemonSetReconciler } from './reconciler.ts';

/** What decides where daemons are; heartbeats do not. */
const nodeChanged: Predicate<Node> = (event) =>
  event.type !== 'updated' ||
  !deepEqual(event.object.metadata.labels, event.previous.metadata.labels) ||
  !deepEqual(event.object.spec, event.previous.spec);

/** Adds the DaemonSet controller to the control plane's manager. */
export function daemonSetController(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  indexOrphans(manager.cache, ControllerRevision);
  manager
    .controller(DaemonSet, 'daemonset')
    .owns(Pod)
    .owns(ControllerRevision, { where: ({ type }) => type === 'deleted' })
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(DaemonSet)),
    })
    .watches(Node, {
      where: nodeChanged,
      map: function* (_node, { cache }) {
        for (const set of cache.store(DaemonSet).list()) yield keyOf(set);
      },
    })
    .run(tolerant(new DaemonSetReconciler(controllerRecorder(manager, 'daemonset-controller'))));
}
