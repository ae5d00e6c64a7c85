import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '@coxswain/k8s';
import { formatTime } from '@coxswain/runtime/core';
import type { Leeway } from './sizes.ts';

type Verdict = Pick<DeploymentCondition, 'type' | 'status' | 'reason' | 'message'>;

function stamp(before: DeploymentCondition | undefined, verdict: Verdict, now: number): DeploymentCondition {
  const same = before?.status === verdict.status;
  if (before && same && before.reason === verdict.reason) return { ...before, message: verdict.message ?? '' };
  const since = same ? before?.lastTransitionTime : undefined;
  return { ...verdict, lastTransitionTime: since ?? formatTime(now), lastUpdateTime: formatTime(now) };
}

const total = (sets: readonly ReplicaSet[], field: 'replicas' | 'readyReplicas' | 'availableReplicas') =>
  sets.reduce((sum, set) => sum + (set.status?.[field] ?? 0), 0);

function availability(wanted: number, available: number, { unavailable }: Leeway): Verdict {
  return available >= wanted - unavailable
    ? {
        type: 'Available',
        status: 'True',
        reason: 'MinimumReplicasAvailable',
        message: 'Deployment has minimum availability.',
      }
    : {
        type: 'Available',
        status: 'False',
        reason: 'MinimumReplicasUnavailable',
        message: 'Deployment does not have minimum availability.',
      };
}

/** Milliseconds until a Deployment that does not move on counts as stuck; `undefined` when it has no deadline or is done. */
export function untilDeadline(deployment: Deployment, now: number): number | undefined {
  const seconds = deployment.spec?.progressDeadlineSeconds ?? 600;
  const progressing = deployment.status?.conditions?.find(({ type }) => type === 'Progressing');
  if (
    seconds >= 2 ** 31 - 1 ||
    !progressing?.lastUpdateTime ||
    progressing.reason === 'NewReplicaSetAvailable' ||
    progressing.reason === 'ProgressDeadlineExceeded'
  )
    return undefined;
  return Math.max(1, Date.parse(progressing.lastUpdateTime) + seconds * 1000 - now);
}

function isComplete(wanted: number, { updatedReplicas, replicas, availableReplicas }: DeploymentStatus): boolean {
  return [updatedReplicas, replicas, availableReplicas].every((count) => (count ?? 0) === wanted);
}

/** Whether there are more new pods, or fewer old ones, than before. */
function hasMoved(before: DeploymentStatus | undefined, next: DeploymentStatus): boolean {
  const grown = (field: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas') =>
    (next[field] ?? 0) > (before?.[field] ?? 0);
  const old = (status: DeploymentStatus | undefined) => (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  return grown('updatedReplicas') || grown('readyReplicas') || grown('availableReplicas') || old(next) < old(before);
}

/** What the condition Progressing should say; `undefined` to leave it as it is. */
function progress(
  { spec, status: before }: Deployment,
  current: ReplicaSet | undefined,
  next: DeploymentStatus,
  now: number,
): Verdict | undefined {
  const verdict = (status: 'True' | 'False' | 'Unknown', reason: string, message: string): Verdict => ({
    type: 'Progressing',
    status,
    reason,
    message,
  });
  const set = `replica set "${current?.metadata.name ?? ''}"`;
  const name = `ReplicaSet "${current?.metadata.name ?? ''}"`;
  if (spec?.paused) return verdict('Unknown', 'DeploymentPaused', 'Deployment is paused');
  if (isComplete(spec?.replicas ?? 1, next))
    return verdict('True', 'NewReplicaSetAvailable', `${name} has successfully progressed.`);
  const condition = before?.conditions?.find(({ type }) => type === 'Progressing');
  if (!condition) return verdict('True', 'NewReplicaSetCreated', `Created new ${set}`);
  if (condition.reason === 'DeploymentPaused') return verdict('Unknown', 'DeploymentResumed', 'Deployment is resumed');
  if (hasMoved(before, next) || condition.reason === 'NewReplicaSetAvailable')
    return verdict('True', 'ReplicaSetUpdated', `${name} is progressing.`);
  const deadline = Date.parse(condition.lastUpdateTime ?? '') + (spec?.progressDeadlineSeconds ?? 600) * 1000;
  const late = condition.reason !== 'ProgressDeadlineExceeded' && deadline <= now;
  return late ? verdict('False', 'ProgressDeadlineExceeded', `${name} has timed out progressing.`) : undefined;
}

/** The status as it should be, from the ReplicaSets. */
export function deploymentStatus(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  all: readonly ReplicaSet[],
  leeway: Leeway,
  now: number,
): DeploymentStatus {
  const wanted = deployment.spec?.replicas ?? 1;
  const available = total(all, 'availableReplicas');
  const terminating = all.reduce((sum, set) => sum + (set.status?.terminatingReplicas ?? 0), 0);
  const counts: DeploymentStatus = {
    observedGeneration: deployment.metadata.generation ?? 0,
    replicas: total(all, 'replicas'),
    updatedReplicas: current?.status?.replicas ?? 0,
    readyReplicas: total(all, 'readyReplicas'),
    availableReplicas: available,
    unavailableReplicas: Math.max(0, all.reduce((sum, set) => sum + (set.spec?.replicas ?? 0), 0) - available),
    terminatingReplicas: terminating,
    ...(deployment.status?.collisionCount === undefined ? {} : { collisionCount: deployment.status.collisionCount }),
  };
  const before = new Map((deployment.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const verdicts = [availability(wanted, available, leeway), progress(deployment, current, counts, now)];
  for (const verdict of verdicts) {
    if (!verdict) continue;
    const stamped = stamp(before.get(verdict.type), verdict, now);
    before.set(
      verdict.type,
      verdict.reason === 'ReplicaSetUpdated' ? { ...stamped, lastUpdateTime: formatTime(now) } : stamped,
    );
  }
  return { ...counts, conditions: [...before.values()] };
}
