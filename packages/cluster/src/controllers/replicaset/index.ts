/** ReplicaSets: so many pods of one template. */
import { Pod, ReplicaSet } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { ReplicaSetReconciler } from './reconciler.ts';

/** Adds the ReplicaSet controller to the control plane's manager. */
export function replicaSetController(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  manager
    .controller(ReplicaSet, 'replicaset')
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(ReplicaSet).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .run(tolerant(new ReplicaSetReconciler(controllerRecorder(manager, 'replicaset-controller'))));
}
