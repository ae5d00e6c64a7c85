/** What the conditions of a node say, as taints: new pods keep away from nodes that are not ready, or short of something. */
import { Node } from '@coxswain/k8s';
import type { Manager } from '@coxswain/runtime/manager';
import { tolerant } from '../workload/tolerant.ts';
import { nodeTaints } from './node-taints.ts';

/** Adds the controller of node taints to the control plane's manager. */
export function nodeTaintController(manager: Manager): void {
  manager.controller(Node, 'node-taints').run(tolerant(nodeTaints));
}
