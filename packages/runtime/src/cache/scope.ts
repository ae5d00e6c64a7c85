import { apiVersionOf, type Kind, type KubeObject } from '@coxswain/k8s';
import { fieldSelectorText, labelSelectorText } from '../client/index.ts';
import { matchesFields, matchesLabels, parseFieldSelector, parseSelector } from '../core/index.ts';
import type { InformerScope } from './types.ts';

/** What a scope means for objects that did not come from the server's own selection. */
export interface ScopeRules {
  /** The same for equal scopes of a kind. */
  readonly id: string;
  /** Whether an object belongs into the store; `undefined` when only the server can tell. */
  readonly includes: ((object: KubeObject) => boolean) | undefined;
}

/**
 * The rules of a scope of one namespace, or of all.
 * @param transformId the same for the same transform; `''` without one
 * @throws SelectorError when a selector cannot be read
 */
export function scopeRules(kind: Kind, scope: InformerScope, transformId = ''): ScopeRules {
  const labels = labelSelectorText(scope.labels);
  const fields = fieldSelectorText(scope.fields);
  const selector = parseSelector(labels);
  const terms = parseFieldSelector(fields);
  const known = terms.every(({ field }) => field === 'metadata.name' || field === 'metadata.namespace');
  const includes = (object: KubeObject) =>
    (!scope.namespace || object.metadata.namespace === scope.namespace) &&
    matchesLabels(selector, object.metadata.labels) &&
    matchesFields(terms, (field) =>
      field === 'metadata.name' ? object.metadata.name : (object.metadata.namespace ?? ''),
    );
  const id = [
    apiVersionOf(kind),
    kind.plural,
    scope.namespace ?? '',
    labels,
    fields,
    scope.metadataOnly ? 'metadata' : '',
    transformId,
  ].join('|');
  return { id, includes: known ? includes : undefined };
}
