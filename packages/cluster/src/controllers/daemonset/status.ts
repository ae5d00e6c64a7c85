import type { DaemonSetStatus } from '@coxswain/k8s';
import { isPodReady } from '../workload/pods.ts';
import { judge, podsByNode } from './nodes.ts';
import { isAvailable, type Situation } from './rolling-update.ts';
import { isUpdated } from './template.ts';

/** What the set's status says of its nodes and pods. Of several pods on a node the oldest counts. */
export function daemonSetStatus(situation: Situation, collisionCount: number): DaemonSetStatus {
  const { set, pod, nodes, pods, hash } = situation;
  const byNode = podsByNode(pods);
  const count = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const first = byNode.get(node.metadata.name)?.[0];
    const { run } = judge(pod, node);
    if (run) count.desired++;
    else if (first) count.misscheduled++;
    if (!run || !first) continue;
    count.current++;
    if (isPodReady(first)) count.ready++;
    if (isAvailable(situation, first)) count.available++;
    if (isUpdated(set, first, hash)) count.updated++;
  }
  return {
    ...set.status,
    currentNumberScheduled: count.current,
    desiredNumberScheduled: count.desired,
    numberMisscheduled: count.misscheduled,
    numberReady: count.ready,
    updatedNumberScheduled: count.updated,
    numberAvailable: count.available,
    numberUnavailable: count.desired - count.available,
    observedGeneration: set.metadata.generation ?? 0,
    ...(collisionCount > 0 ? { collisionCount } : {}),
  };
}
