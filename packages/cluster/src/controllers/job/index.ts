/** Jobs: pods that run to their end. */
import { Job, Pod } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { indexOrphans } from '../workload/claim.ts';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { JobReconciler } from './reconciler.ts';

/** Adds the Job controller to the control plane's manager. */
export function jobController(manager: Manager): void {
  indexOrphans(manager.cache, Pod);
  manager
    .controller(Job, 'job')
    .owns(Pod)
    .run(tolerant(new JobReconciler(controllerRecorder(manager, 'job-controller'))));
}
