import type { PodDisruptionBudget } from '@coxswain/k8s';
import {
  type LogSetSpec,
  logSetNames,
  type ProxySetSpec,
  proxySetNames,
  type SetKind,
  setLabels,
} from '../api/index.ts';
import type { SetKey } from './services.ts';

function budget(kind: SetKind, set: SetKey, name: string, minAvailable: number): PodDisruptionBudget {
  const labels = setLabels(kind, set.namespace, set.name);
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace: set.namespace, labels },
    spec: { minAvailable, selector: { matchLabels: labels } },
  };
}

/**
 * How many log stores node drains must leave: all but the minority of a shard's replicas that may be missing. Without such a minority there
 * is none: it would hold up every drain, and keep nothing available.
 */
export function logDisruptionBudget(set: SetKey, spec: LogSetSpec): PodDisruptionBudget | undefined {
  const spare = Math.floor(((spec.initialConfig?.logShardReplicas ?? 1) - 1) / 2);
  if (spare === 0 || spec.replicas <= spare) return undefined;
  return budget('LogSet', set, logSetNames(set.name).workload, spec.replicas - spare);
}

/** Node drains take one proxy at a time; a single one they may take. */
export function proxyDisruptionBudget(set: SetKey, spec: ProxySetSpec): PodDisruptionBudget | undefined {
  return spec.replicas > 1 ? budget('ProxySet', set, proxySetNames(set.name).workload, spec.replicas - 1) : undefined;
}
