import type { Pod } from '@coxswain/k8s';
import { qualifiedNameErrors } from '@coxswain/runtime/core';
import { FieldError } from './errors.ts';
import { goQuote } from './quote.ts';

/** Addresses of a pod and of its node as far as they are known; the first is the primary one. */
export interface PodAddresses {
  readonly podIPs: readonly string[];
  readonly hostIPs: readonly string[];
}

/** All labels or annotations: a line each, sorted by key. */
function mapText(map: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}=${goQuote(value)}`).join('\n');
}

function subscripted(pod: Pod, path: string): string | undefined {
  const match = /^(.+?)\['(.*)'\]$/s.exec(path);
  if (!match) return undefined;
  const [, map, key = ''] = match;
  if (map !== 'metadata.annotations' && map !== 'metadata.labels')
    throw new FieldError(`fieldPath ${goQuote(path)} does not support subscript`);
  const errors = qualifiedNameErrors(map === 'metadata.annotations' ? key.toLowerCase() : key);
  if (errors.length > 0) throw new FieldError(`invalid key subscript in ${path}: ${errors.join(';')}`);
  return (map === 'metadata.labels' ? pod.metadata.labels : pod.metadata.annotations)?.[key] ?? '';
}

/**
 * A field of a pod as text, by its path. Without `addresses` those of the pod's status count.
 * @throws FieldError when containers may not ask for it
 */
export function fieldValue(pod: Pod, path: string, addresses?: PodAddresses): string {
  const { metadata, spec, status } = pod;
  const podIPs = addresses?.podIPs ?? status?.podIPs?.map(({ ip }) => ip) ?? [];
  const hostIPs = addresses?.hostIPs ?? status?.hostIPs?.map(({ ip }) => ip) ?? [];
  switch (path) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace ?? '';
    case 'metadata.uid':
      return metadata.uid ?? '';
    case 'metadata.annotations':
      return mapText(metadata.annotations);
    case 'metadata.labels':
      return mapText(metadata.labels);
    case 'spec.nodeName':
      return spec?.nodeName ?? '';
    case 'spec.serviceAccountName':
      return spec?.serviceAccountName ?? '';
    case 'status.podIP':
      return podIPs[0] ?? '';
    case 'status.podIPs':
      return podIPs.join(',');
    case 'status.hostIP':
      return hostIPs[0] ?? '';
    case 'status.hostIPs':
      return hostIPs.join(',');
  }
  const value = subscripted(pod, path);
  if (value === undefined) throw new FieldError(`unsupported fieldPath: ${path}`);
  return value;
}
