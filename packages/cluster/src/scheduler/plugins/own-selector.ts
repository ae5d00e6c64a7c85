import { type Selector, selectorFromLabels } from '@coxswain/runtime/core';
import { compileSelector } from '../state/affinity-term.ts';
import type { Cycle } from './types.ts';

function ofOwner({ info, lookups }: Cycle): Selector {
  const owner = info.pod.metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.apiVersion === 'apps/v1' && owner.kind === 'ReplicaSet')
    return compileSelector(lookups.replicaSet(info.namespace, owner.name)?.spec?.selector ?? {});
  if (owner?.apiVersion === 'apps/v1' && owner.kind === 'StatefulSet')
    return compileSelector(lookups.statefulSet(info.namespace, owner.name)?.spec?.selector ?? {});
  if (owner?.apiVersion === 'v1' && owner.kind === 'ReplicationController')
    return selectorFromLabels(lookups.replicationController(info.namespace, owner.name)?.spec?.selector ?? {});
  return [];
}

/** By what the workload and the Services of a pod know their pods; `undefined` when it has none. */
export function ownSelector(cycle: Cycle): Selector | undefined {
  const { info, lookups } = cycle;
  const labels: Record<string, string> = {};
  for (const { spec } of lookups.services(info.namespace)) {
    const selector = spec?.selector;
    if (!selector || Object.keys(selector).length === 0) continue;
    const selected = Object.entries(selector).every(([key, value]) => info.pod.metadata.labels?.[key] === value);
    if (selected) Object.assign(labels, selector);
  }
  const services = Object.entries(labels).map(([key, value]) => ({ key, operator: 'in' as const, values: [value] }));
  const whole = [...services, ...ofOwner(cycle)];
  return whole.length > 0 ? whole : undefined;
}
