import { type Deployment, Deployment as DeploymentKind, type PodTemplateSpec, type ReplicaSet } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { deepEqual } from '@coxswain/runtime/core';
import { contentHash } from '../workload/hash.ts';

export const templateHashLabel = 'pod-template-hash';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
/** Older revision numbers of a ReplicaSet that was rolled back to, oldest first. */
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
/** Annotations of a Deployment that its ReplicaSets do not take over. */
const ownAnnotations = new Set([
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.deployment.rollback.to',
  'kubectl.kubernetes.io/last-applied-configuration',
]);
/** Most characters of {@link historyAnnotation}; the oldest numbers go first. */
const historyLength = 2000;
/** Most characters of an object's name. */
const nameLength = 253;

type Annotations = Readonly<Record<string, string>>;

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [templateHashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Whether a ReplicaSet runs what the Deployment's template says. */
export function hasTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return deepEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template));
}

const integer = /^[+-]?\d+$/;

/** A whole number of 64 bits, which users may set; 0 when the ReplicaSet says none that can be read. */
export function revisionOf(set: ReplicaSet): bigint {
  const text = set.metadata.annotations?.[revisionAnnotation] ?? '';
  return integer.test(text) ? BigInt(text.replace('+', '')) : 0n;
}

/** Oldest first. */
export function byAge(a: ReplicaSet, b: ReplicaSet): number {
  const created = ({ metadata }: ReplicaSet) => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return created(a) - created(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
}

/** The Deployment's replicas when the ReplicaSet was last sized; `undefined` when it says nothing. */
export function desiredOf(set: ReplicaSet): number | undefined {
  return numberIn(set, desiredAnnotation);
}

/** The Deployment's replicas with its surge when the ReplicaSet was last sized; `undefined` when it says nothing. */
export function maxOf(set: ReplicaSet): number | undefined {
  return numberIn(set, maxAnnotation);
}

function numberIn(set: ReplicaSet, annotation: string): number | undefined {
  const text = set.metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : undefined;
}

/** @param max wanted pods and as many more as `maxSurge` allows */
export function sizeAnnotations(replicas: number, max: number): Record<string, string> {
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(max) };
}

function withHistory(history: string | undefined, revision: string): string {
  const numbers = [...(history ? history.split(',') : []), revision];
  while (numbers.length > 1 && numbers.join(',').length > historyLength) numbers.shift();
  return numbers.join(',');
}

/**
 * Annotations that the ReplicaSet of the present template has to get from its Deployment: those it takes over, and a higher revision. The one it
 * had is kept as history.
 * @param newest the highest revision of the other ReplicaSets
 * @param before annotations of the ReplicaSet; `undefined` when it is to be made
 */
export function inheritedAnnotations(
  deployment: Deployment,
  newest: bigint,
  before: Annotations | undefined,
): Annotations {
  const inherited = Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key));
  const annotations = Object.fromEntries(inherited.filter(([key, value]) => before?.[key] !== value));
  const old = before?.[revisionAnnotation];
  // a number that cannot be read is somebody's, and stays
  if (old && !integer.test(old)) return annotations;
  if (BigInt(old?.replace('+', '') ?? 0) > newest) return annotations;
  annotations[revisionAnnotation] = String(newest + 1n);
  if (old !== undefined) annotations[historyAnnotation] = withHistory(before?.[historyAnnotation], old);
  return annotations;
}

/** The ReplicaSet for the Deployment's present template. */
export function newReplicaSet(
  deployment: Deployment,
  replicas: number,
  annotations: Annotations,
  collisionCount: number | undefined,
): ReplicaSet {
  const { spec, metadata } = deployment;
  const hash = contentHash(spec?.template, collisionCount);
  const labels = { ...spec?.template.metadata?.labels, [templateHashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name.slice(0, nameLength - hash.length - 1)}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations,
      ownerReferences: [controllerReference(DeploymentKind, deployment)],
    },
    spec: {
      replicas,
      selector: { ...spec?.selector, matchLabels: { ...spec?.selector.matchLabels, [templateHashLabel]: hash } },
      template: { ...spec?.template, metadata: { ...spec?.template.metadata, labels } },
      ...(spec?.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
    },
  };
}
