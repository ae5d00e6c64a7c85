/** StatefulSets: numbered pods with claims of their own, made, changed and removed in order. */
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { orphanMatches } from '../workload/orphans.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { StatefulEngine } from './engine.ts';
import { StatefulSetReconciler } from './reconciler.ts';

/** Adds the StatefulSet controller to the control plane's manager. */
export function statefulSetController(manager: Manager): void {
  manager.cache.informer(ControllerRevision);
  manager.cache.informer(PersistentVolumeClaim);
  manager
    .controller(StatefulSet, 'statefulset')
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) =>
        orphanMatches(pod, cache.store(StatefulSet).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .run(new StatefulSetReconciler(new StatefulEngine(controllerRecorder(manager, 'statefulset-controller'))));
}
