import { type Deployment, Deployment as DeploymentKind, type PodTemplateSpec, type ReplicaSet } from '@coxswain/k8s';
import { controllerReference } from '@coxswain/runtime/apply';
import { deepEqual } from '@coxswain/runtime/core';
import { contentHash } from '../workload/hash.ts';

export const templateHashLabel = 'pod-template-hash';
export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
/** Annotations of a Deployment that its ReplicaSets do not take over. */
const ownAnnotations = new Set([
  revisionAnnotation,
  desiredAnnotation,
  maxAnnotation,
  'deprecated.daemonset.template.generation',
  'kubectl.kubernetes.io/last-applied-configuration',
]);

function withoutHash(template: PodTemplateSpec | undefined): unknown {
  const { [templateHashLabel]: _hash, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Whether a ReplicaSet runs what the Deployment's template says. */
export function hasTemplate(set: ReplicaSet, deployment: Deployment): boolean {
  return deepEqual(withoutHash(set.spec?.template), withoutHash(deployment.spec?.template));
}

export function revisionOf(set: ReplicaSet): number {
  return Number(set.metadata.annotations?.[revisionAnnotation] ?? 0);
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
  const value = Number.parseInt(set.metadata.annotations?.[annotation] ?? '', 10);
  return Number.isNaN(value) ? undefined : value;
}

/** @param max wanted pods and as many more as `maxSurge` allows */
export function sizeAnnotations(replicas: number, max: number): Record<string, string> {
  return { [desiredAnnotation]: String(replicas), [maxAnnotation]: String(max) };
}

/** Annotations a ReplicaSet takes over from its Deployment. */
export function inheritedAnnotations(deployment: Deployment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(deployment.metadata.annotations ?? {}).filter(([key]) => !ownAnnotations.has(key)),
  );
}

/** The ReplicaSet for the Deployment's present template. */
export function newReplicaSet(
  deployment: Deployment,
  replicas: number,
  annotations: Record<string, string>,
  collisionCount: number,
): ReplicaSet {
  const { spec, metadata } = deployment;
  const hash = contentHash(spec?.template, collisionCount);
  const labels = { ...spec?.template.metadata?.labels, [templateHashLabel]: hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace ?? '',
      labels,
      annotations: { ...inheritedAnnotations(deployment), ...annotations },
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
