import type { PersistentVolumeClaim, PodTemplateSpec } from '@coxswain/k8s';
import type { CloneSet, CloneSetSpec, KruiseStatefulSet } from '@coxswain/k8s/kruise';
import { type SetKind, setLabels } from '../api/index.ts';
import type { SetKey } from './services.ts';

/** The claims of removed stores: kept or deleted. */
export type ClaimRetention = 'Delete' | 'Retain';

/** What a StatefulSet of stores is made of. */
export interface StoresParts {
  readonly kind: SetKind;
  readonly set: SetKey;
  readonly name: string;
  readonly serviceName: string;
  readonly replicas: number;
  readonly template: PodTemplateSpec;
  readonly claims: readonly PersistentVolumeClaim[];
  readonly retention: { readonly whenDeleted: ClaimRetention; readonly whenScaled: ClaimRetention };
  readonly reserveOrdinals?: readonly number[];
  /** How many stores, counted from the lowest ordinal, a rollout leaves as they are; absent: none. */
  readonly partition?: number | undefined;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A StatefulSet of stores that know themselves by their ordinal: log stores and transaction nodes. */
export function storesWorkload(parts: StoresParts): KruiseStatefulSet {
  const { set } = parts;
  const labels = setLabels(parts.kind, set.namespace, set.name);
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: {
      name: parts.name,
      namespace: set.namespace,
      labels,
      ...(parts.annotations ? { annotations: parts.annotations } : {}),
    },
    spec: {
      replicas: parts.replicas,
      selector: { matchLabels: labels },
      serviceName: parts.serviceName,
      podManagementPolicy: 'Parallel',
      updateStrategy: {
        type: 'RollingUpdate',
        rollingUpdate: {
          podUpdatePolicy: 'InPlaceIfPossible',
          ...(parts.partition === undefined ? {} : { partition: parts.partition }),
        },
      },
      persistentVolumeClaimRetentionPolicy: parts.retention,
      template: parts.template,
      ...(parts.reserveOrdinals && parts.reserveOrdinals.length > 0 ? { reserveOrdinals: parts.reserveOrdinals } : {}),
      ...(parts.claims.length > 0 ? { volumeClaimTemplates: parts.claims } : {}),
    },
  };
}

/** A CloneSet of nodes that are all alike: compute nodes and proxies. */
export function nodesWorkload(
  kind: SetKind,
  set: SetKey,
  name: string,
  spec: Omit<CloneSetSpec, 'selector'>,
  annotations?: Readonly<Record<string, string>>,
): CloneSet {
  const labels = setLabels(kind, set.namespace, set.name);
  return {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    metadata: { name, namespace: set.namespace, labels, ...(annotations ? { annotations } : {}) },
    spec: { ...spec, selector: { matchLabels: labels } },
  };
}
