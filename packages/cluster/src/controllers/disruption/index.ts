/** Disruption budgets: how many pods may be evicted now, and what becomes of evictions that do not come about. */
import { Pod, PodDisruptionBudget } from '@coxswain/k8s';
import { keyOf } from '@coxswain/runtime/core';
import type { Manager } from '@coxswain/runtime/manager';
import { controllerRecorder } from '../workload/recorder.ts';
import { tolerant } from '../workload/tolerant.ts';
import { covers, DisruptionReconciler } from './reconciler.ts';
import { staleTarget } from './stale-target.ts';

/** Adds the disruption controllers to the control plane's manager. */
export function disruptionControllers(manager: Manager): void {
  manager
    .controller(PodDisruptionBudget, 'disruption')
    .watches(Pod, {
      map: function* (pod, { cache }) {
        for (const budget of cache.store(PodDisruptionBudget).list({ namespace: pod.metadata.namespace ?? '' }))
          if (covers(budget, pod)) yield keyOf(budget);
      },
    })
    .run(tolerant(new DisruptionReconciler(controllerRecorder(manager, 'controllermanager'))));
  manager.controller(Pod, 'stale-disruption-target').run(tolerant(staleTarget));
}
