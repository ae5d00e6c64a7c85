import type { MutableJson } from '@coxswain/k8s';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, objectAt, objectsAt } from '../shared/draft.ts';

function defaultMatch(match: MutableJson | undefined): void {
  if (!match) return;
  fill(match, 'matchPolicy', 'Equivalent');
  fill(match, 'namespaceSelector', {});
  fill(match, 'objectSelector', {});
  for (const field of ['resourceRules', 'excludeResourceRules']) {
    for (const rule of objectsAt(match, field)) fill(rule, 'scope', '*');
  }
}

export const validatingPolicyStrategy: Strategy = {
  default(draft) {
    const spec = ensureObject(draft, 'spec');
    fill(spec, 'failurePolicy', 'Fail');
    defaultMatch(objectAt(spec, 'matchConstraints'));
    ensureObject(draft, 'status');
  },
};

export const validatingPolicyBindingStrategy: Strategy = {
  default: (draft) => defaultMatch(objectAt(ensureObject(draft, 'spec'), 'matchResources')),
};
