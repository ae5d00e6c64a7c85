/** CronJobs: a job at each time of a schedule. */
import { CronJob, Job } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { CronJobReconciler } from './reconciler.ts';

/** Adds the CronJob controller to the control plane's manager. Schedules without a time zone are in UTC. */
export function cronJobController(manager: Manager): void {
  manager
    .controller(CronJob, 'cronjob')
    .owns(Job)
    .run(tolerant(new CronJobReconciler(controllerRecorder(manager, 'cronjob-controller'))));
}
