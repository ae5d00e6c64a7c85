/** ReplicaSets, and ReplicationControllers as their older form: so many pods of one template. */
import { type LabelSelector, Pod, ReplicaSet, ReplicationController } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { adopters, indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { type Replicas, type ReplicasKind, ReplicasReconciler } from './reconciler.ts';

const replicaSets: ReplicasKind<ReplicaSet> = {
  kind: ReplicaSet,
  selectorOf: ({ spec }) => spec?.selector ?? {},
  status: ({ terminating }) => ({ terminatingReplicas: terminating }),
};

const replicationControllers: ReplicasKind<ReplicationController> = {
  kind: ReplicationController,
  selectorOf: ({ spec }): LabelSelector => (spec?.selector ? { matchLabels: spec.selector } : {}),
  status: () => ({}),
};

function add<T extends Replicas>(manager: Manager, form: ReplicasKind<T>, name: string): void {
  manager
    .controller(form.kind, name)
    .owns(Pod)
    .watches(Pod, {
      map: (pod, { cache }) => adopters(pod, cache.store(form.kind), form.selectorOf),
    })
    .run(tolerant(new ReplicasReconciler(form, controllerRecorder(manager, `${name}-controller`))));
}

/** Adds the controllers of ReplicaSets and ReplicationControllers to the control plane's manager. */
export function replicaSetControllers(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  add(manager, replicaSets, 'replicaset');
  add(manager, replicationControllers, 'replication');
}
