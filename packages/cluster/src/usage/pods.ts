import type { Quantity } from '@coxswain/runtime/core';
import { listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../apiserver/builtin/shared/draft.ts';
import { type Amounts, addTo, amountsAt, one } from './amounts.ts';
import type { Evaluator } from './evaluators.ts';
import { containerAmounts, podAmounts } from './pod-resources.ts';
import { isSelected } from './scopes.ts';

const count = 'count/pods';
const computed = ['cpu', 'memory', 'ephemeral-storage'];
const names = new Set([count, 'pods', ...computed.flatMap((name) => [name, `requests.${name}`, `limits.${name}`])]);
/** A quota on these makes every container state them. */
const mandatory = ['cpu', 'memory'].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

const isHugePages = (name: string): boolean => name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/');

/** `requests.example.com/gpu` */
const isExtended = (name: string): boolean =>
  name.startsWith('requests.') && (!isNative(name) || name.startsWith('requests.deviceclass.resource.kubernetes.io/'));

function charged(requests: Amounts, limits: Amounts): Map<string, Quantity> {
  const result = new Map<string, Quantity>([['pods', one]]);
  for (const [name, quantity] of requests) {
    if (computed.includes(name) || name.startsWith('hugepages-')) result.set(name, quantity);
    if (computed.includes(name) || name.startsWith('hugepages-') || !isNative(name)) {
      result.set(`requests.${name}`, quantity);
    }
  }
  for (const name of computed) {
    const limit = limits.get(name);
    if (limit) result.set(`limits.${name}`, limit);
  }
  return result;
}

/** Finished pods, and those whose node never confirmed their end, take nothing. */
function isAlive(pod: ReadJson, now: number): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  if (phase === 'Failed' || phase === 'Succeeded') return false;
  const metadata = objectAt(pod, 'metadata');
  const deleted = textAt(metadata, 'deletionTimestamp');
  const grace = numberAt(metadata, 'deletionGracePeriodSeconds');
  return deleted === '' || grace === undefined || now <= Date.parse(deleted) + grace * 1000;
}

function isBestEffort(pod: ReadJson): boolean {
  const known = textAt(objectAt(pod, 'status'), 'qosClass');
  if (known !== '') return known === 'BestEffort';
  const spec = objectAt(pod, 'spec');
  const holders = [spec ?? {}, ...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')];
  return !holders.some((holder) =>
    (['requests', 'limits'] as const).some((side) =>
      [...containerAmounts(holder, side)].some(
        ([name, { nano }]) => (name === 'cpu' || name === 'memory') && nano > 0n,
      ),
    ),
  );
}

const endsByItself = (pod: ReadJson): boolean => (numberAt(objectAt(pod, 'spec'), 'activeDeadlineSeconds') ?? -1) >= 0;

function crossesNamespaces(pod: ReadJson): boolean {
  const affinity = objectAt(objectAt(pod, 'spec'), 'affinity');
  return ['podAffinity', 'podAntiAffinity'].some((kind) => {
    const side = objectAt(affinity, kind);
    const terms = [
      ...objectsAt(side, 'requiredDuringSchedulingIgnoredDuringExecution'),
      ...objectsAt(side, 'preferredDuringSchedulingIgnoredDuringExecution').map(
        (weighted) => objectAt(weighted, 'podAffinityTerm') ?? {},
      ),
    ];
    return terms.some((term) => listAt(term, 'namespaces').length > 0 || objectAt(term, 'namespaceSelector'));
  });
}

function statesItself(pod: ReadJson): boolean {
  const own = objectAt(pod, 'spec') ?? {};
  return (['requests', 'limits'] as const).some((side) =>
    [...containerAmounts(own, side).keys()].some((name) => name === 'cpu' || name === 'memory' || isHugePages(name)),
  );
}

function missingIn(pod: ReadJson, required: readonly string[]): ReadonlyMap<string, Set<string>> {
  const spec = objectAt(pod, 'spec');
  const missing = new Map<string, Set<string>>();
  for (const container of [...objectsAt(spec, 'containers'), ...objectsAt(spec, 'initContainers')]) {
    const stated = charged(containerAmounts(container, 'requests'), containerAmounts(container, 'limits'));
    for (const name of required) {
      if (stated.has(name)) continue;
      missing.set(name, (missing.get(name) ?? new Set()).add(textAt(container, 'name')));
    }
  }
  return missing;
}

/** Pods count by number and by what they ask for while they run. */
export const podEvaluator: Evaluator = {
  matching: (given) => given.filter((name) => names.has(name) || isHugePages(name) || isExtended(name)),
  inScope(selector, pod) {
    switch (selector.scope) {
      case 'Terminating':
        return endsByItself(pod);
      case 'NotTerminating':
        return !endsByItself(pod);
      case 'BestEffort':
        return isBestEffort(pod);
      case 'NotBestEffort':
        return !isBestEffort(pod);
      case 'PriorityClass':
        return isSelected(selector, textAt(objectAt(pod, 'spec'), 'priorityClassName'));
      case 'CrossNamespacePodAffinity':
        return crossesNamespaces(pod);
      default:
        return false;
    }
  },
  refusal(given, pod) {
    const required = given.filter((name) => mandatory.includes(name)).sort();
    if (required.length === 0 || statesItself(pod)) return undefined;
    const missing = missingIn(pod, required);
    if (missing.size === 0) return undefined;
    const parts = [...missing].sort(([a], [b]) => (a < b ? -1 : 1));
    return `must specify ${parts.map(([name, containers]) => `${name} for: ${[...containers].sort().join(',')}`).join('; ')}`;
  },
  usage(pod, now = 0) {
    const result = new Map<string, Quantity>([[count, one]]);
    if (!isAlive(pod, now)) return result;
    const requests = podAmounts(pod, 'requests');
    const limits = podAmounts(pod, 'limits');
    const overhead = amountsAt(objectAt(pod, 'spec'), 'overhead');
    addTo(requests, overhead);
    for (const [name, quantity] of overhead) if (limits.has(name)) addTo(limits, new Map([[name, quantity]]));
    addTo(result, charged(requests, limits));
    return result;
  },
};
