/**
 * Gives pods a node: hard rules filter, wishes and the emptiest node decide, and more important pods make less important ones go.
 * `state/` is what is on the nodes, `plugins/` the rules, `preemption/` who goes, `volumes/` what has to be bound with a pod.
 * Knows pods, nodes, claims and who selects pods; nothing of how they are run.
 */
import type { Manager } from '@coxswain/runtime/manager';
import { SchedulerService } from './service.ts';

export { HostPorts } from './state/host-ports.ts';
export { namedNodes, podAllowsNode } from './state/node-selection.ts';
export { addResources, noResources, podLimit, podRequests, type Resources, resourcesOf } from './state/resources.ts';
export { tolerated, tolerates } from './state/tolerations.ts';

/** Adds the scheduler to the control plane's manager. */
export function scheduler(manager: Manager): void {
  manager.add(new SchedulerService(manager));
}
