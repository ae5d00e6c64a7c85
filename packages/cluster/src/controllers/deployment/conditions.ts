import type { DeploymentCondition, ReplicaSet } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';

/** A condition before it is stamped. */
export interface Verdict {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export type Conditions = readonly DeploymentCondition[];

export function conditionOf(conditions: Conditions | undefined, type: string): DeploymentCondition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function withoutCondition(conditions: Conditions, type: string): Conditions {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}

/**
 * The conditions with one of them set, which then is the last. The same status for the same reason is no news and changes nothing, not even the message.
 * @param again it is news all the same: `lastUpdateTime` moves
 */
export function withCondition(conditions: Conditions, verdict: Verdict, now: number, again = false): Conditions {
  const before = conditionOf(conditions, verdict.type);
  const same = before?.status === verdict.status;
  if (same && before?.reason === verdict.reason && !again) return conditions;
  const lastTransitionTime = (same ? before?.lastTransitionTime : undefined) ?? formatTime(now);
  const condition = { ...verdict, lastTransitionTime, lastUpdateTime: formatTime(now) };
  return [...withoutCondition(conditions, verdict.type), condition];
}

export function progressing(status: 'True' | 'False' | 'Unknown', reason: string, message: string): Verdict {
  return { type: 'Progressing', status, reason, message };
}

/** What keeps a ReplicaSet from making or removing pods, the newest one's first. */
export function replicaFailure(
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
): DeploymentCondition | undefined {
  for (const set of current ? [current, ...all] : all)
    for (const { type, status, reason, message, lastTransitionTime = '' } of set.status?.conditions ?? [])
      if (type === 'ReplicaFailure' && status)
        return {
          type,
          status,
          ...(reason ? { reason } : {}),
          ...(message ? { message } : {}),
          lastTransitionTime,
          lastUpdateTime: lastTransitionTime,
        };
  return undefined;
}
