/** ReplicaSets: so many pods of one template. */
import { Pod, ReplicaSet } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { orphanMatches } from '../workload/orphans.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { ReplicaSetReconciler } from './reconciler.ts';

/** Adds the ReplicaSet controller to the control plane's manager. */
export function replicaSetController(manager: Manager): void {
  manager
    .controller(ReplicaSet, 'replicaset')
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) =>
        orphanMatches(pod, cache.store(ReplicaSet).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .run(new ReplicaSetReconciler(controllerRecorder(manager, 'replicaset-controller')));
}
