/**
 * The scheduler's concerns, a file each: what rules a node out for a pod, and what makes it the better one. They know pods, nodes and
 * what they depend on; nothing of queues, events or how a decision is carried out.
 */
import { balancedAllocation } from './balanced-allocation.ts';
import { imageLocality } from './image-locality.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';
import { resourceFit } from './resource-fit.ts';
import { taintToleration } from './taint-toleration.ts';
import { topologySpread } from './topology-spread.ts';
import type { Plugin } from './types.ts';
import { volumeBinding } from './volume-binding.ts';
import { volumeLimits } from './volume-limits.ts';
import { volumeRestrictions } from './volume-restrictions.ts';
import { volumeZone } from './volume-zone.ts';

export type { Cycle, Lookups, NodeFilter, Rejection } from './types.ts';
export { isRejection } from './types.ts';

/** In the order in which they are asked; the first that says no gives the reason. */
export const plugins: readonly Plugin[] = [
  nodeName,
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  resourceFit,
  volumeRestrictions,
  volumeLimits,
  volumeBinding,
  volumeZone,
  topologySpread,
  interPodAffinity,
  balancedAllocation,
  imageLocality,
];
