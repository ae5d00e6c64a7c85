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

function progress(
  deployment: Deployment,
  current: ReplicaSet | undefined,
  next: DeploymentStatus,
  now: number,
): Verdict | undefined {
  if (deployment.spec?.paused)
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' };
  const wanted = deployment.spec?.replicas ?? 1;
  const name = current?.metadata.name ?? '';
  const complete =
    (next.updatedReplicas ?? 0) === wanted &&
    (next.replicas ?? 0) === wanted &&
    (next.availableReplicas ?? 0) === wanted;
  if (complete)
    return {
      type: 'Progressing',
      status: 'True',
      reason: 'NewReplicaSetAvailable',
      message: `ReplicaSet "${name}" has successfully progressed.`,
    };
  const before = deployment.status;
  const condition = before?.conditions?.find(({ type }) => type === 'Progressing');
  if (condition?.reason === 'DeploymentPaused')
    return { type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' };
  const moved =
    (next.updatedReplicas ?? 0) > (before?.updatedReplicas ?? 0) ||
    (next.readyReplicas ?? 0) > (before?.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (before?.availableReplicas ?? 0) ||
    (next.replicas ?? 0) - (next.updatedReplicas ?? 0) < (before?.replicas ?? 0) - (before?.updatedReplicas ?? 0);
  if (moved || !condition || condition.reason === 'NewReplicaSetAvailable')
    return {
      type: 'Progressing',
      status: 'True',
      reason: condition ? 'ReplicaSetUpdated' : 'NewReplicaSetCreated',
      message: condition ? `ReplicaSet "${name}" is progressing.` : `Created new replica set "${name}"`,
    };
  const late =
    condition.reason !== 'ProgressDeadlineExceeded' &&
    Date.parse(condition.lastUpdateTime ?? '') + (deployment.spec?.progressDeadlineSeconds ?? 600) * 1000 <= now;
  return late
    ? {
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: `ReplicaSet "${name}" has timed out progressing.`,
      }
    : undefined;
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
