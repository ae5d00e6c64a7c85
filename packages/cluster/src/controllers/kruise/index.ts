/**
 * OpenKruise's CloneSet and Advanced StatefulSet, for clusters where OpenKruise itself does not run: their CRDs and controllers.
 */
import { ControllerRevision, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Manager } from '@coxswain/runtime/manager';
import { StatefulEngine } from '../statefulset/engine.ts';
import { orphanMatches } from '../workload/orphans.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { CloneSetReconciler } from './cloneset.ts';
import { statefulInPlace } from './stateful-in-place.ts';
import { KruiseStatefulSetReconciler } from './statefulset.ts';

export { kruiseCrds } from './crds.ts';

/** Adds the OpenKruise controllers to the control plane's manager. Their CRDs must be served. */
export function kruiseControllers(manager: Manager): void {
  manager.cache.informer(ControllerRevision);
  manager.cache.informer(PersistentVolumeClaim);
  manager
    .controller(KruiseStatefulSet, 'kruise-statefulset')
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) =>
        orphanMatches(pod, cache.store(KruiseStatefulSet).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .run(
      new KruiseStatefulSetReconciler(
        new StatefulEngine(controllerRecorder(manager, 'kruise-statefulset'), statefulInPlace),
      ),
    );
  manager
    .controller(CloneSet, 'cloneset')
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) =>
        orphanMatches(pod, cache.store(CloneSet).list({ namespace: pod.metadata.namespace ?? '' })),
    })
    .run(new CloneSetReconciler(controllerRecorder(manager, 'cloneset-controller'), manager.random));
}
