import { Node, type Taint } from '@coxswain/k8s';
import { type Client, merge } from '@coxswain/runtime/client';
import { type Clock, formatTime, isConflict, keyOf } from '@coxswain/runtime/core';

const prefix = 'node.kubernetes.io/';
export const notReadyTaint = `${prefix}not-ready`;
export const unreachableTaint = `${prefix}unreachable`;
export const unschedulableTaint = `${prefix}unschedulable`;

/** Condition, its status, and the taint that means the same. */
export const conditionMeanings: readonly (readonly [type: string, status: string, taint: string])[] = [
  ['Ready', 'False', notReadyTaint],
  ['Ready', 'Unknown', unreachableTaint],
  ['MemoryPressure', 'True', `${prefix}memory-pressure`],
  ['DiskPressure', 'True', `${prefix}disk-pressure`],
  ['NetworkUnavailable', 'True', `${prefix}network-unavailable`],
  ['PIDPressure', 'True', `${prefix}pid-pressure`],
];

export function hasTaint({ spec }: Node, key: string, effect: string): boolean {
  return spec?.taints?.some((taint) => taint.key === key && taint.effect === effect) ?? false;
}

export interface TaintChange {
  /** Keys. */
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

type TaintEffect = 'NoSchedule' | 'NoExecute';

/** The taints a node is to have; `undefined` when it has them. */
function changed(node: Node, effect: TaintEffect, { add, remove }: TaintChange, now: number): Taint[] | undefined {
  const present = node.spec?.taints ?? [];
  const kept = present.filter((taint) => taint.effect !== effect || !remove.includes(taint.key));
  const missing = add.filter((key) => !hasTaint(node, key, effect));
  if (kept.length === present.length && missing.length === 0) return undefined;
  const timeAdded = formatTime(now);
  return [...kept, ...missing.map((key): Taint => ({ key, effect, timeAdded }))];
}

/** Others write taints too; so many times a change is made anew on what they have left. */
const attempts = 5;

/**
 * Adds and removes taints of one effect. Writes nothing when all is so already.
 * @throws ApiError Conflict when others write the node all the time
 */
export async function changeTaints(
  { client, clock }: { readonly client: Client; readonly clock: Clock },
  node: Node,
  effect: TaintEffect,
  change: TaintChange,
): Promise<void> {
  let current = node;
  for (let attempt = 1; ; attempt++) {
    const taints = changed(current, effect, change, clock.now());
    if (!taints) return;
    const { uid, resourceVersion } = current.metadata;
    const spec = { taints: taints.length > 0 ? taints : null };
    try {
      await client.of(Node).patch(keyOf(node), merge({ metadata: { uid, resourceVersion }, spec }));
      return;
    } catch (error) {
      if (!isConflict(error) || attempt === attempts) throw error;
      current = await client.of(Node).get(keyOf(node));
    }
  }
}
