import type { EnvVar } from '@coxswain/k8s';
import { parseQuantity, quantityValue } from '@coxswain/runtime/core';
import { ANNOTATION_CONFIG_SUFFIX, type PodSetSpec, type S3Storage, type SharedStorage } from '../api/index.ts';
import { hasInPlaceConfig } from '../version/index.ts';

const DEFAULT_REGION = 'us-west-2';

function fromField(name: string, fieldPath: string): EnvVar {
  return { name, valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath } } };
}

export const podName = fromField('POD_NAME', 'metadata.name');
export const podNamespace = fromField('NAMESPACE', 'metadata.namespace');
export const podIP = fromField('POD_IP', 'status.podIP');

export function headlessService(name: string): EnvVar {
  return { name: 'HEADLESS_SERVICE_NAME', value: name };
}

/** Bytes that the Go runtime may use; nothing when no limit is known or the user says otherwise. */
function goMemoryLimit(spec: PodSetSpec): readonly EnvVar[] {
  const limit = spec.resources?.limits?.memory;
  const percent = spec.memoryLimitPercent;
  if (limit === undefined || !percent) return [];
  if (spec.overlay?.env?.some(({ name }) => name === 'GOMEMLIMIT')) return [];
  const bytes = (quantityValue(parseQuantity(limit)) * BigInt(percent)) / 100n;
  return bytes > 0n ? [{ name: 'GOMEMLIMIT', value: String(bytes) }] : [];
}

/** What every role has after its own variables: the order is part of the pod template. */
export function commonEnv(spec: PodSetSpec): readonly EnvVar[] {
  const suffix = fromField('CONFIG_SUFFIX', `metadata.annotations['${ANNOTATION_CONFIG_SUFFIX}']`);
  return [...(hasInPlaceConfig(spec) ? [suffix] : []), ...goMemoryLimit(spec)];
}

function fromSecret(key: string, secret: string | undefined): EnvVar {
  return { name: key, valueFrom: { secretKeyRef: { key, ...(secret === undefined ? {} : { name: secret }) } } };
}

function credentials(s3: S3Storage): readonly EnvVar[] {
  if (!s3.secretRef) return [];
  return ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map((key) => fromSecret(key, s3.secretRef?.name));
}

/** Access to shared storage; replaces variables of the same names, also those a user laid over. */
export function storageEnv(storage: SharedStorage): readonly EnvVar[] {
  if (!storage.s3) return [];
  return [...credentials(storage.s3), { name: 'AWS_REGION', value: storage.s3.region || DEFAULT_REGION }];
}
