import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { ensureObject, fill, given, objectAt, type ReadJson } from '../shared/draft.ts';
import { invalidValue, notSupported } from '../shared/errors.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { intOrPercent, percentOf } from '../shared/values.ts';

const unhealthyPolicies = ['AlwaysAllow', 'IfHealthyBudget'];

function validateAmount(value: unknown, field: string): readonly FieldError[] {
  const errors = [...intOrPercent(value, field)];
  if ((percentOf(value) ?? 0) > 100) errors.push(invalidValue(field, value, 'must not be greater than 100%'));
  return errors;
}

function validateBudget(object: ReadJson): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors: FieldError[] = [];
  if (given(spec.minAvailable) && given(spec.maxUnavailable)) {
    errors.push(invalidValue('spec', goSpec(spec), 'minAvailable and maxUnavailable cannot be both set'));
  }
  if (given(spec.minAvailable)) errors.push(...validateAmount(spec.minAvailable, 'spec.minAvailable'));
  if (given(spec.maxUnavailable)) errors.push(...validateAmount(spec.maxUnavailable, 'spec.maxUnavailable'));
  errors.push(...validateLabelSelector(objectAt(spec, 'selector'), 'spec.selector'));
  const policy = spec.unhealthyPodEvictionPolicy;
  if (given(policy) && !unhealthyPolicies.includes(String(policy))) {
    errors.push(notSupported('spec.unhealthyPodEvictionPolicy', policy, unhealthyPolicies));
  }
  return errors;
}

/** The spec as the server's message prints it. */
function goSpec(spec: ReadJson): object {
  return {
    MinAvailable: spec.minAvailable ?? null,
    Selector: spec.selector ?? null,
    MaxUnavailable: spec.maxUnavailable ?? null,
    UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
  };
}

export const podDisruptionBudgetStrategy: Strategy = {
  default(draft) {
    ensureObject(draft, 'spec');
    const status = ensureObject(draft, 'status');
    for (const key of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods']) fill(status, key, 0);
  },
  validate: validateBudget,
};
