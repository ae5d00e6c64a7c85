import { Node } from '@coxswain/k8s';
import type { Reconciler } from '@coxswain/runtime/controller';
import { changeTaints, conditionMeanings, unschedulableTaint } from './taints.ts';

const ours = new Set([unschedulableTaint, ...conditionMeanings.map(([, , key]) => key)]);

function wanted({ spec, status }: Node): string[] {
  const conditions = status?.conditions ?? [];
  const keys = conditionMeanings.filter(([type, value]) =>
    conditions.some((condition) => condition.type === type && condition.status === value),
  );
  return [...keys.map(([, , key]) => key), ...(spec?.unschedulable ? [unschedulableTaint] : [])];
}

/** Keeps the NoSchedule taints of a node that stand for conditions. All other taints are somebody else's. */
export const conditionTaints: Reconciler = {
  async reconcile({ cache, client, clock, key }) {
    const node = cache.store(Node).get(key);
    if (!node) return undefined;
    const keys = new Set(wanted(node));
    const remove = [...ours].filter((one) => !keys.has(one));
    await changeTaints({ client, clock }, node, 'NoSchedule', { add: [...keys], remove });
    return undefined;
  },
};
