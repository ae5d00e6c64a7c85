import { type Condition, type KubeObject, parseApiVersion } from '@coxswain/k8s';

/** How far an object is. `reason` explains what is missing, or is empty. */
export interface Readiness {
  readonly ready: boolean;
  /** One word: `Ready`, `Running`, `Pending`, `Terminating` … */
  readonly phase: string;
  readonly reason: string;
  /** Nobody in an embedded cluster works on this kind, so its status says nothing: not ready, and not waited for. */
  readonly unknown?: true;
  /** The whole story in a sentence, where the object tells it. */
  readonly message?: string;
  /** The condition that decides, when one does. */
  readonly condition?: Condition;
}

/** Whether it has to become ready. */
export function isWaitedFor({ ready, unknown }: Readiness): boolean {
  return !ready && !unknown;
}

/** Kinds of Kubernetes that are stored and served, but that no controller of the embedded cluster works on. */
const notSimulated = new Set([
  'autoscaling/HorizontalPodAutoscaler',
  'certificates.k8s.io/CertificateSigningRequest',
  'networking.k8s.io/Ingress',
  'networking.k8s.io/NetworkPolicy',
  'resource.k8s.io/ResourceClaim',
]);

function isSimulated({ apiVersion = '', kind = '' }: KubeObject): boolean {
  const { group } = parseApiVersion(apiVersion);
  return !notSimulated.has(`${group}/${kind}`);
}

/** Phases in which an object is not what it was asked to be. */
const unfinished = new Set(['Pending', 'Lost', 'Failed', 'Unknown', 'Terminating']);

interface Observed {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  readonly phase?: string;
  readonly reason?: string;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly desiredNumberScheduled?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly containerStatuses?: readonly ContainerState[];
  readonly initContainerStatuses?: readonly ContainerState[];
}

interface ContainerState {
  readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
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

/** What keeps a pod from running, where it says so: a container that waits, or no node. */
function obstacle(status: Observed): { readonly reason: string; readonly message?: string } | undefined {
  const scheduled = status.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status === 'False') return scheduled;
  for (const { state } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const { reason, message } = state?.waiting ?? {};
    if (reason) return { reason, ...(message ? { message } : {}) };
  }
  return undefined;
}

function podReadiness(status: Observed): Readiness {
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  const phase = status.phase ?? 'Pending';
  const ready = condition?.status === 'True' || phase === 'Succeeded';
  const why = obstacle(status) ?? (ready ? undefined : condition);
  return {
    ready,
    phase: phase === 'Running' && ready ? 'Ready' : phase,
    reason: why?.reason ?? '',
    ...(why?.message ? { message: why.message } : {}),
    ...(condition ? { condition } : {}),
  };
}

function replicaReadiness(object: KubeObject, wanted: number, status: Observed): Readiness {
  const have = status.readyReplicas ?? 0;
  const current = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  const ready = current && have >= wanted;
  return { ready, phase: ready ? 'Ready' : 'Progressing', reason: `${have}/${wanted} ready` };
}

/** A DaemonSet is where it should be when each of its nodes has an available pod of its template; with OnDelete an older one will do. */
function daemonReadiness(object: KubeObject, status: Observed): Readiness {
  const wanted = status.desiredNumberScheduled ?? 0;
  const available = status.numberAvailable ?? 0;
  const have = isReplacedByHand(object) ? available : Math.min(available, status.updatedNumberScheduled ?? 0);
  const current = (status.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
  const ready = current && have >= wanted;
  return { ready, phase: ready ? 'Ready' : 'Progressing', reason: `${have}/${wanted} ready` };
}

function isReplacedByHand(object: KubeObject): boolean {
  const { spec } = object as { readonly spec?: { readonly updateStrategy?: { readonly type?: string } } };
  return spec?.updateStrategy?.type === 'OnDelete';
}

/**
 * Whether an object has reached what its spec says, by what its status says: the condition `Ready`, replica counts, or,
 * for kinds that have neither, being there. `expectsCondition`: the kind is an operator's, so no condition yet means not ready.
 */
export function readinessOf(object: KubeObject, expectsCondition = false): Readiness {
  if (object.metadata.deletionTimestamp) return { ready: false, phase: 'Terminating', reason: '' };
  if (!isSimulated(object)) return { ready: false, phase: 'not simulated', reason: '', unknown: true };
  const status = statusOf(object);
  if (object.kind === 'Pod') return podReadiness(status);
  const condition = status.conditions?.find(({ type }) => type === 'Ready');
  if (condition) {
    const current =
      (condition.observedGeneration ?? object.metadata.generation ?? 0) >= (object.metadata.generation ?? 0);
    const ready = condition.status === 'True' && current;
    const why = ready ? { reason: '' } : { reason: condition.reason, message: condition.message };
    return { ready, phase: ready ? 'Ready' : 'NotReady', ...why, condition };
  }
  if (expectsCondition) return { ready: false, phase: status.phase ?? 'Pending', reason: '' };
  const complete = status.conditions?.find(({ type }) => type === 'Complete' || type === 'Failed');
  if (object.kind === 'Job')
    return { ready: complete?.type === 'Complete', phase: complete?.type ?? 'Running', reason: complete?.reason ?? '' };
  if (object.kind === 'DaemonSet' && object.apiVersion === 'apps/v1') return daemonReadiness(object, status);
  const wanted = wantedReplicas(object);
  if (wanted !== undefined) return replicaReadiness(object, wanted, status);
  if (status.phase && unfinished.has(status.phase))
    return { ready: false, phase: status.phase, reason: status.reason ?? '' };
  if (object.kind === 'PersistentVolumeClaim' && !status.phase) return { ready: false, phase: 'Pending', reason: '' };
  return { ready: true, phase: status.phase ?? 'Ready', reason: '' };
}
