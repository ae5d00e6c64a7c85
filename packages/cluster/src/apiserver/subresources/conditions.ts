import type { MutableJson } from '@coxswain/k8s';
import { isObject } from '../rest/clone.ts';

interface PodCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Sets one condition in `status.conditions`, as a whole; its transition time moves only with its status. @param time RFC 3339 */
export function setPodCondition(draft: MutableJson, condition: PodCondition, time: string): void {
  const status: MutableJson = isObject(draft.status) ? draft.status : {};
  draft.status = status;
  const conditions: unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  status.conditions = conditions;
  const at = conditions.findIndex((entry) => isObject(entry) && entry.type === condition.type);
  const before = conditions[at];
  if (!isObject(before)) {
    conditions.push({ lastProbeTime: null, lastTransitionTime: time, ...condition });
    return;
  }
  const lastTransitionTime = before.status === condition.status ? before.lastTransitionTime : time;
  conditions[at] = { lastProbeTime: null, lastTransitionTime, ...condition };
}
