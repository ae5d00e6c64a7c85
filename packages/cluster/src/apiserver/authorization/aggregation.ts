import type { KubeObject, MutableJson } from '@coxswain/k8s';
import { type LabelSelectorLike, matchesLabels, SelectorError, selectorFromField } from '@coxswain/runtime/core';
import type { Storage, StorageSubscription } from '../../storage/types.ts';
import { sameJson } from '../builtin/shared/draft.ts';
import type { PolicyRule } from './types.ts';

const resource = 'rbac.authorization.k8s.io/clusterroles';

interface ClusterRole extends KubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelectorLike[] | null };
}

type Matcher = (role: ClusterRole) => boolean;

/** One matcher for each selector of a role. One that cannot be read selects nothing. */
function matchersOf(role: ClusterRole): readonly Matcher[] {
  return (role.aggregationRule?.clusterRoleSelectors ?? []).flatMap((field) => {
    try {
      const selector = selectorFromField(field);
      return [(other: ClusterRole) => matchesLabels(selector, other.metadata.labels)];
    } catch (error) {
      if (error instanceof SelectorError) return [];
      throw error;
    }
  });
}

/** The rules of all that the role selects, in order of selectors, then of names, each once. */
function rulesOf(role: ClusterRole, all: readonly ClusterRole[]): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  for (const matches of matchersOf(role)) {
    for (const other of all) {
      if (other.metadata.name === role.metadata.name || !matches(other)) continue;
      for (const rule of other.rules ?? []) {
        const key = JSON.stringify(rule);
        if (!rules.has(key)) rules.set(key, rule);
      }
    }
  }
  return [...rules.values()];
}

/** Keeps the rules of ClusterRoles with an aggregation rule: in the same commit's wake, before anyone can see it. */
export function installAggregation(storage: Storage): StorageSubscription {
  const all = () => storage.list(resource).objects as readonly ClusterRole[];
  /** Names of the roles that aggregate. */
  const aggregating = new Set<string>();
  const update = (role: ClusterRole) => {
    const rules = rulesOf(role, all());
    if (sameJson(rules, role.rules ?? [])) return;
    const next = { ...role, metadata: { ...role.metadata }, rules } as unknown as MutableJson;
    storage.put({ resource, namespace: '', name: role.metadata.name }, next as unknown as KubeObject);
  };
  for (const role of all()) {
    if (!role.aggregationRule) continue;
    aggregating.add(role.metadata.name);
    update(role);
  }
  return storage.subscribe(resource, storage.revision, ({ type, key, object, previous }) => {
    const changed = object as ClusterRole;
    if (type !== 'deleted' && changed.aggregationRule) aggregating.add(key.name);
    else aggregating.delete(key.name);
    for (const name of aggregating) {
      const role = storage.get({ resource, namespace: '', name }) as ClusterRole | undefined;
      if (!role?.aggregationRule) continue;
      const before = previous as ClusterRole | undefined;
      const selected = () => matchersOf(role).some((matches) => matches(changed) || (before && matches(before)));
      if (name === key.name || selected()) update(role);
    }
  });
}
