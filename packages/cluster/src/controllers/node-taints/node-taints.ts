import { Node, type Taint } from '@coxswain/k8s';
import type { Reconciler } from '@coxswain/runtime/controller';

const prefix = 'node.kubernetes.io/';

/** Condition, its status, and the taint that means the same. */
const meanings: readonly (readonly [string, string, string])[] = [
  ['Ready', 'False', `${prefix}not-ready`],
  ['Ready', 'Unknown', `${prefix}unreachable`],
  ['MemoryPressure', 'True', `${prefix}memory-pressure`],
  ['DiskPressure', 'True', `${prefix}disk-pressure`],
  ['NetworkUnavailable', 'True', `${prefix}network-unavailable`],
  ['PIDPressure', 'True', `${prefix}pid-pressure`],
];
const unschedulable = `${prefix}unschedulable`;
const ours = new Set([unschedulable, ...meanings.map(([, , key]) => key)]);

function wanted({ spec, status }: Node): Set<string> {
  const conditions = status?.conditions ?? [];
  const keys = meanings.filter(([type, value]) =>
    conditions.some((condition) => condition.type === type && condition.status === value),
  );
  return new Set([...keys.map(([, , key]) => key), ...(spec?.unschedulable ? [unschedulable] : [])]);
}

const isOurs = ({ key, effect }: Taint): boolean => effect === 'NoSchedule' && ours.has(key);

/** Keeps the NoSchedule taints of a node that stand for conditions. All other taints are somebody else's. */
export const nodeTaints: Reconciler = {
  async reconcile({ cache, client, key }) {
    const node = cache.store(Node).get(key);
    if (!node || node.metadata.deletionTimestamp) return undefined;
    const keys = wanted(node);
    const present = node.spec?.taints ?? [];
    const kept = present.filter((taint) => !isOurs(taint) || keys.has(taint.key));
    const missing = [...keys].filter((one) => !kept.some((taint) => isOurs(taint) && taint.key === one));
    if (kept.length === present.length && missing.length === 0) return undefined;
    const taints = [...kept, ...missing.map((one): Taint => ({ key: one, effect: 'NoSchedule' }))];
    await client.of(Node).update({ ...node, spec: { ...node.spec, taints } });
    return undefined;
  },
};
