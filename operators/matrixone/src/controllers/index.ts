/**
 * The controllers of the five kinds as actors. A pass reads the spec with its defaults, brings all children to the plan
 * (an apply that changes nothing sends nothing), reports what it sees, and waits for events. What must not be repeated
 * blindly (bootstrap choice, failover, growing volumes) is an action of its own.
 * Knows nothing of admission, nor of which cluster it runs on.
 */

export { applyChild } from './apply-child.ts';
export { childrenOfSets, podsOf, podsThere, setOfPod } from './children.ts';
export { ClusterActor } from './cluster.ts';
export { CNSetActor } from './cnset.ts';
export { DNSetActor } from './dnset.ts';
export { decideFailover, type FailoverDecision } from './failover.ts';
export { LogSetActor } from './logset.ts';
export { removeOldConfigs } from './old-configs.ts';
export { ProxySetActor } from './proxyset.ts';
export { refuseProblems } from './refuse.ts';
export { reportTrouble, watchTrouble } from './report-trouble.ts';
export { FIELD_MANAGER, setupControllers } from './setup.ts';
export { updateStores } from './store-status.ts';
export { tooFew } from './too-few.ts';
export { podMatters } from './wake.ts';
export { ensureWorkloadGone } from './workload-gone.ts';
