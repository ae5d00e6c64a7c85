/** Deployments: rolling from one ReplicaSet to the next. */
import { Deployment, Pod, ReplicaSet } from '@coxswain/k8s';
import { ownerKey } from '@coxswain/runtime/controller';
import type { Manager } from '@coxswain/runtime/manager';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { DeploymentReconciler } from './reconciler.ts';

/** Adds the Deployment controller to the control plane's manager. */
export function deploymentController(manager: Manager): void {
  indexOrphans(manager.cache, ReplicaSet);
  manager
    .controller(Deployment, 'deployment')
    .owns(ReplicaSet)
    .watches(ReplicaSet, {
      map: (set, { cache }) => adopters(set, cache.store(Deployment)),
    })
    .watches(Pod, {
      // a Recreate rollout waits for the last old pod to go
      where: ({ type }) => type === 'deleted',
      map: function* (pod, { cache }) {
        const key = ownerKey(pod, ReplicaSet);
        const set = key && cache.store(ReplicaSet).get(key);
        const deployment = set && ownerKey(set, Deployment);
        if (deployment) yield deployment;
      },
    })
    .run(tolerant(new DeploymentReconciler(controllerRecorder(manager, 'deployment-controller'))));
}
