import type { Condition, KubeObject } from '@coxswain/k8s';

/** How far an object is. `reason` explains what is missing, or is empty. */
export interface Readiness {
  readonly ready: boolean;
  /** One word: `Ready`, `Running`, `Pending`, `Terminating` … */
  readonly phase: string;
  readonly reason: string;
  /** The condition that decides, when one does. */
  readonly condition?: Condition;
}

interface Observed {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly phase?: string;
  readonly reason?: string;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly containerStatuses?: readonly { readonly state?: { readonly waiting?: { readonly reason?: string } } }[];
}

function statusOf(object: KubeObject): Observed {
  const status: unknown = 'status' in object ? object.status : undefined;
  return typeof status === 'object' && status !== null ? (status as Observed) : {};
}

function wantedReplicas(object: KubeObject): number | undefined {
  const spec: unknown = 'spec' in object ? object.spec : undefined;
  const replicas = typeof spec === 'object' && spec !== null && 'replicas' in spec ? spec.replicas : undefined;
  return typeof replicas === 'number' ? replicas : undefined;
}

function podReadiness(status: Observed): Readiness {
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  const waiting = status.containerStatuses?.map(({ state }) => state?.waiting?.reason).find(Boolean);
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  const unscheduled = scheduled?.status === 'False' ? scheduled.reason : undefined;
  const phase = status.phase ?? 'Pending';
  const ready = condition?.status === 'True' || phase === 'Succeeded';
  return {
    ready,
    phase: phase === 'Running' && ready ? 'Ready' : phase,
    reason: waiting ?? unscheduled ?? (ready ? '' : (condition?.reason ?? '')),
    ...(condition ? { condition } : {}),
  };
}

function replicaReadiness(object: KubeObject, wanted: number, status: Observed): Readiness {
  const have = status.readyReplicas ?? 0;
  const current = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  const ready = current && have >= wanted;
  return { ready, phase: ready ? 'Ready' : 'Progressing', reason: `${have}/${wanted} ready` };
}

/**
 * Whether an object has reached what its spec says, by what its status says: the condition `Ready`, replica counts, or,
 * for kinds that have neither, being there. `expectsCondition`: the kind is an operator's, so no condition yet means not ready.
 */
export function readinessOf(object: KubeObject, expectsCondition = false): Readiness {
  if (object.metadata.deletionTimestamp) return { ready: false, phase: 'Terminating', reason: '' };
  const status = statusOf(object);
  if (object.kind === 'Pod') return podReadiness(status);
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  if (condition) {
    const current =
      (condition.observedGeneration ?? object.metadata.generation ?? 0) >= (object.metadata.generation ?? 0);
    const ready = condition.status === 'True' && current;
    return { ready, phase: ready ? 'Ready' : 'NotReady', reason: ready ? '' : condition.reason, condition };
  }
  if (expectsCondition) return { ready: false, phase: status.phase ?? 'Pending', reason: '' };
  const complete = status.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  if (object.kind === 'Job')
    return { ready: complete?.type === 'Complete', phase: complete?.type ?? 'Running', reason: complete?.reason ?? '' };
  const wanted = wantedReplicas(object);
  if (wanted !== undefined) return replicaReadiness(object, wanted, status);
  return { ready: true, phase: status.phase ?? 'Ready', reason: '' };
}
