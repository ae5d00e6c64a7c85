import type { LabelSelector, PodAffinityTerm } from '@coxswain/k8s';
import {
  type LabelPairs,
  matchesLabels,
  nothing,
  type Selector,
  SelectorError,
  selectorFromField,
} from '@coxswain/runtime/core';

/** The selector of a field; one that cannot be understood selects nothing. */
export function compileSelector(field: LabelSelector | undefined): Selector {
  try {
    return selectorFromField(field);
  } catch (error) {
    if (error instanceof SelectorError) return nothing;
    throw error;
  }
}

/** Adds to a selector that the labels named by `keys` are (or are not) those of the pod itself; keys it does not have count for nothing. */
export function withLabelKeys(
  selector: Selector,
  keys: readonly string[] | undefined,
  labels: LabelPairs | undefined,
  operator: 'in' | 'notin' = 'in',
): Selector {
  const own = (keys ?? []).flatMap((key) => {
    const value = labels?.[key];
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  return own.length > 0 ? [...selector, ...own] : selector;
}

/** Which pods, near or far by which label of nodes. */
export interface AffinityTerm {
  readonly topologyKey: string;
  /** Terms that say the same have the same key, whoever has them. */
  readonly key: string;
  /** @param namespaceLabels labels of the namespace of the pod */
  matches(pod: PodLike, namespaceLabels: (namespace: string) => LabelPairs | undefined): boolean;
}

interface PodLike {
  readonly metadata: { readonly namespace?: string; readonly labels?: LabelPairs };
}

/** @param owner namespace and labels of the pod that has the term */
export function affinityTerm(term: PodAffinityTerm, owner: PodLike['metadata']): AffinityTerm {
  const { topologyKey, matchLabelKeys, mismatchLabelKeys, namespaceSelector } = term;
  const base = withLabelKeys(compileSelector(term.labelSelector), matchLabelKeys, owner.labels);
  const selector = withLabelKeys(base, mismatchLabelKeys, owner.labels, 'notin');
  const namespaces = term.namespaces?.length
    ? [...term.namespaces].sort()
    : namespaceSelector
      ? []
      : [owner.namespace ?? ''];
  const others = namespaceSelector ? compileSelector(namespaceSelector) : nothing;
  return {
    topologyKey,
    key: JSON.stringify([topologyKey, namespaces, namespaceSelector ? others : 0, selector]),
    matches({ metadata: { namespace = '', labels } }, namespaceLabels) {
      if (!matchesLabels(selector, labels)) return false;
      if (namespaces.includes(namespace)) return true;
      return namespaceSelector !== undefined && matchesLabels(others, namespaceLabels(namespace));
    },
  };
}
