import type { Node, Pod } from '@coxswain/k8s';
import { namedNodes, podAllowsNode, tolerates } from '../../scheduler/index.ts';
import { createdAt } from '../workload/deletion-order.ts';

/** What a node may have of a set. */
export interface NodeVerdict {
  /** It should have a pod. */
  readonly run: boolean;
  /** A pod that is there may stay. */
  readonly keep: boolean;
}

/** Whether a pod of the template belongs on a node. A taint of effect NoSchedule keeps pods away and leaves those that are there. */
export function judge(pod: Pod, node: Node): NodeVerdict {
  const { nodeName, tolerations = [] } = pod.spec ?? {};
  if ((nodeName && nodeName !== node.metadata.name) || !podAllowsNode(pod, node)) return { run: false, keep: false };
  const against = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)),
  );
  return { run: against.length === 0, keep: against.every(({ effect }) => effect !== 'NoExecute') };
}

/** The node a pod is on or is meant for. */
function targetOf(pod: Pod): string | undefined {
  if (pod.spec?.nodeName) return pod.spec.nodeName;
  const [first] = namedNodes(pod) ?? [];
  return first;
}

/** Those that have a node first, then the oldest. */
function byAge(a: Pod, b: Pod): number {
  return (
    Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName)) ||
    createdAt(a) - createdAt(b) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function isEnded({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded';
}

/** Pods by the node they are for, the oldest first; without those that have ended and are being deleted, which keep nothing from its place. */
export function podsByNode(pods: Iterable<Pod>): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetOf(pod);
    if (node === undefined || (pod.metadata.deletionTimestamp && isEnded(pod))) continue;
    const list = byNode.get(node);
    if (list) list.push(pod);
    else byNode.set(node, [pod]);
  }
  for (const list of byNode.values()) list.sort(byAge);
  return byNode;
}
