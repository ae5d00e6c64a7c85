/**
 * Looks after nodes: those that are heard of no more are said to be unknown, and what is wrong with a node becomes taints that keep pods
 * away or drive them out. Who goes when is `taint-eviction`'s.
 */
import { Node } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { conditionTaints } from './condition-taints.ts';
import { NodeMonitor } from './monitor.ts';

/**
 * Adds the node lifecycle controllers to the control plane's manager.
 * @param gracePeriod milliseconds without a sign of life after which a node is unknown; default 50 000
 */
export function nodeLifecycleControllers(manager: Manager, gracePeriod?: number): void {
  manager.controller(Node, 'node-taints').run(tolerant(conditionTaints));
  manager.add(new NodeMonitor(manager, gracePeriod));
}
