import type { Deployment, DeploymentStatus, ReplicaSet } from '@coxswain/k8s';
import {
  type Conditions,
  conditionOf,
  progressing,
  replicaFailure,
  type Verdict,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { leewayOf, sizeOf } from './sizes.ts';

/** What a pass knows of a Deployment's ReplicaSets. */
export interface Sets {
  /** That of the present template. */
  readonly current: ReplicaSet | undefined;
  readonly all: readonly ReplicaSet[];
}

const unlimited = 2 ** 31 - 1;

/** Seconds in which a roll has to move on; `undefined` when there is no deadline. */
export function deadlineOf({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds ?? unlimited;
  return seconds === unlimited ? undefined : seconds;
}

const total = (sets: readonly ReplicaSet[], field: 'replicas' | 'readyReplicas' | 'availableReplicas') =>
  sets.reduce((sum, set) => sum + (set.status?.[field] ?? 0), 0);

function availability(deployment: Deployment, available: number): Verdict {
  const enough = available >= (deployment.spec?.replicas ?? 1) - leewayOf(deployment).unavailable;
  return {
    type: 'Available',
    status: enough ? 'True' : 'False',
    reason: enough ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
  };
}

/** The sum over the ReplicaSets; `undefined` when one that was looked at does not tell. */
function terminating(sets: readonly ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status } of sets) {
    if (status?.terminatingReplicas === undefined && status?.observedGeneration) return undefined;
    sum += status?.terminatingReplicas ?? 0;
  }
  return sum;
}

/** The numbers and whether it is available, from the ReplicaSets; all the rest as it was. */
export function countedStatus(deployment: Deployment, { current, all }: Sets, now: number): DeploymentStatus {
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const available = total(all, 'availableReplicas');
  const ending = terminating(all);
  return {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(all, 'replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(all, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, all.reduce((sum, set) => sum + sizeOf(set), 0) - available),
    ...(ending === undefined ? {} : { terminatingReplicas: ending }),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, availability(deployment, available), now),
  };
}

/** All wanted pods are new and available, and no others are left. */
export function isComplete({ spec, metadata }: Deployment, status: DeploymentStatus | undefined): boolean {
  const wanted = spec?.replicas ?? 1;
  return (
    [status?.updatedReplicas, status?.replicas, status?.availableReplicas].every((count) => (count ?? 0) === wanted) &&
    (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0)
  );
}

/** Whether there are more new pods, or fewer old ones, than before. */
function hasMoved(before: DeploymentStatus | undefined, next: DeploymentStatus): boolean {
  const grown = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas') =>
    (next[field] ?? 0) > (before?.[field] ?? 0);
  const old = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return grown('updatedReplicas') || grown('readyReplicas') || grown('availableReplicas') || old(next) < old(before);
}

function hasTimedOut(conditions: Conditions, deadline: number, now: number): boolean {
  const condition = conditionOf(conditions, 'Progressing');
  if (!condition || condition.reason === 'NewReplicaSetAvailable') return false;
  if (condition.reason === 'ProgressDeadlineExceeded') return true;
  return Date.parse(condition.lastUpdateTime ?? '') + deadline * 1000 < now;
}

function progressed(deployment: Deployment, sets: Sets, next: DeploymentStatus, now: number): Conditions {
  const conditions = next.conditions ?? [];
  const deadline = deadlineOf(deployment);
  if (deadline === undefined) return withoutCondition(conditions, 'Progressing');
  const before = conditionOf(deployment.status?.conditions, 'Progressing');
  if (before?.reason === 'NewReplicaSetAvailable' && next.replicas === next.updatedReplicas) return conditions;
  const name = sets.current ? `ReplicaSet "${sets.current.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  const set = (verdict: Verdict, again = false) => withCondition(conditions, verdict, now, again);
  if (isComplete(deployment, next))
    return set(progressing('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`));
  if (hasMoved(deployment.status, next))
    return set(progressing('True', 'ReplicaSetUpdated', `${name} is progressing.`), true);
  if (hasTimedOut(conditions, deadline, now))
    return set(progressing('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`));
  return conditions;
}

/** {@link countedStatus}, and how the roll gets on. */
export function rollingStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const next = countedStatus(deployment, sets, now);
  const conditions = progressed(deployment, sets, next, now);
  const failure = replicaFailure(sets.current, sets.all);
  const before = conditionOf(conditions, 'ReplicaFailure');
  const rest = withoutCondition(conditions, 'ReplicaFailure');
  if (!failure) return { ...next, conditions: rest };
  if (before?.status === failure.status && before?.reason === failure.reason) return { ...next, conditions };
  return { ...next, conditions: [...rest, failure] };
}

/** Milliseconds until a Deployment that does not move on is to be looked at for its deadline; `undefined` when it need not. */
export function untilDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  const deadline = deadlineOf(deployment);
  const condition = conditionOf(status.conditions, 'Progressing');
  if (deadline === undefined || !condition || condition.reason === 'ProgressDeadlineExceeded') return undefined;
  if (isComplete(deployment, status)) return undefined;
  const left = Date.parse(condition.lastUpdateTime ?? '') + deadline * 1000 - now;
  return Math.max(0, left) + 1000;
}
