/** StatefulSets: numbered pods with claims of their own, made, changed and removed in order. */
import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { setsOfClaim } from './claim-events.ts';
import { StatefulEngine } from './engine.ts';
import { StatefulSetReconciler } from './reconciler.ts';

/** Adds the StatefulSet controller to the control plane's manager. */
export function statefulSetController(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  indexOrphans(manager.cache, ControllerRevision);
  manager
    .controller(StatefulSet, 'statefulset')
    .owns(Pod)
    .owns(ControllerRevision, { where: ({ type }) => type === 'deleted' })
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(StatefulSet)),
    })
    .watches(PersistentVolumeClaim, {
      where: ({ type }) => type === 'deleted',
      map: (claim, { cache }) =>
        setsOfClaim(claim, cache.store(StatefulSet).list({ namespace: claim.metadata.namespace ?? '' })),
    })
    .run(
      tolerant(new StatefulSetReconciler(new StatefulEngine(controllerRecorder(manager, 'statefulset-controller')))),
    );
}
