import type { MutableJson } from '@coxswain/k8s';
import { ensureObject, fill, objectAt, objectsAt } from '../../builtin/shared/draft.ts';

/** Fills in whom a policy or a binding is for. */
export function defaultMatch(match: MutableJson | undefined): void {
  if (!match) return;
  fill(match, 'matchPolicy', 'Equivalent');
  fill(match, 'namespaceSelector', {});
  fill(match, 'objectSelector', {});
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of objectsAt(match, field)) fill(rule, 'scope', '*');
  }
}

export function defaultPolicy(draft: MutableJson): void {
  const spec = ensureObject(draft, 'spec');
  fill(spec, 'failurePolicy', 'Fail');
  defaultMatch(objectAt(spec, 'matchConstraints'));
}
