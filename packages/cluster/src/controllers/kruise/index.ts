/**
 * OpenKruise's CloneSet and Advanced StatefulSet, for clusters where OpenKruise itself does not run: their CRDs and controllers.
 */
import { ControllerRevision, PersistentVolumeClaim, Pod } from '@coxswain/k8s';
import { CloneSet, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import type { Manager } from '@coxswain/runtime/manager';
import { setsOfClaim } from '../statefulset/claim-events.ts';
import { StatefulEngine } from '../statefulset/engine.ts';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { CloneSetReconciler } from './cloneset.ts';
import { statefulInPlace } from './stateful-in-place.ts';
import { KruiseStatefulSetReconciler } from './statefulset.ts';

export { kruiseCrds } from './crds.ts';

/** Adds the OpenKruise controllers to the control plane's manager. Their CRDs must be served. */
export function kruiseControllers(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  indexOrphans(manager.cache, ControllerRevision);
  manager
    .controller(KruiseStatefulSet, 'kruise-statefulset')
    .owns(Pod)
    .owns(ControllerRevision, { where: ({ type }) => type === 'deleted' })
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(KruiseStatefulSet)),
    })
    .watches(PersistentVolumeClaim, {
      where: ({ type }) => type === 'deleted',
      map: (claim, { cache }) =>
        setsOfClaim(claim, cache.store(KruiseStatefulSet).list({ namespace: claim.metadata.namespace ?? '' })),
    })
    .run(
      tolerant(
        new KruiseStatefulSetReconciler(
          new StatefulEngine(controllerRecorder(manager, 'kruise-statefulset'), statefulInPlace),
        ),
      ),
    );
  manager
    .controller(CloneSet, 'cloneset')
    .owns(Pod)
    .owns(ControllerRevision, { where: ({ type }) => type === 'deleted' })
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(CloneSet)),
    })
    .run(tolerant(new CloneSetReconciler(controllerRecorder(manager, 'cloneset-controller'), manager.random)));
}
