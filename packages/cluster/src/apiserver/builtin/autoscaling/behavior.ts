import type { MutableJson } from '@coxswain/k8s';
import type { FieldError } from '@coxswain/schema';
import { ensureObject, fill, given, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { nonNegativeQuantity } from '../shared/quantities.ts';

const all = { type: 'Percent', value: 100, periodSeconds: 15 };
const four = { type: 'Pods', value: 4, periodSeconds: 15 };

/** Fills both directions of a behaviour that is given. */
export function defaultBehavior(spec: MutableJson): void {
  const behavior = objectAt(spec, 'behavior');
  if (!behavior) return;
  const up = ensureObject(behavior, 'scaleUp');
  fill(up, 'stabilizationWindowSeconds', 0);
  fill(up, 'selectPolicy', 'Max');
  fill(up, 'policies', [{ ...four }, { ...all }]);
  const down = ensureObject(behavior, 'scaleDown');
  fill(down, 'selectPolicy', 'Max');
  fill(down, 'policies', [{ ...all }]);
}

const longestPeriod = 1800;
const longestWindow = 3600;
const policyTypes = ['Percent', 'Pods'];
const selections = ['Disabled', 'Max', 'Min'];

function validatePolicy(policy: ReadJson, field: string): readonly FieldError[] {
  const type = textAt(policy, 'type');
  const errors: FieldError[] = policyTypes.includes(type) ? [] : [notSupported(`${field}.type`, type, policyTypes)];
  for (const key of ['value', 'periodSeconds']) {
    const value = numberAt(policy, key) ?? 0;
    if (value <= 0) errors.push(invalidValue(`${field}.${key}`, value, 'must be greater than zero'));
  }
  const period = numberAt(policy, 'periodSeconds') ?? 0;
  if (period <= longestPeriod) return errors;
  return [...errors, invalidValue(`${field}.periodSeconds`, period, `must be less than or equal to ${longestPeriod}`)];
}

function validateRules(rules: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!rules) return [];
  const errors: FieldError[] = [];
  const seconds = numberAt(rules, 'stabilizationWindowSeconds') ?? 0;
  const own = `${field}.stabilizationWindowSeconds`;
  if (seconds < 0) errors.push(invalidValue(own, seconds, 'must be greater than or equal to zero'));
  if (seconds > longestWindow)
    errors.push(invalidValue(own, seconds, `must be less than or equal to ${longestWindow}`));
  const { selectPolicy } = rules;
  if (given(selectPolicy) && !selections.includes(String(selectPolicy))) {
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, selections));
  }
  const policies = objectsAt(rules, 'policies');
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  errors.push(...policies.flatMap((policy, i) => validatePolicy(policy, `${field}.policies[${i}]`)));
  return [...errors, ...nonNegativeQuantity(rules.tolerance, `${field}.tolerance`)];
}

/** `behavior` of an autoscaler. */
export function validateBehavior(spec: ReadJson, field: string): readonly FieldError[] {
  const behavior = objectAt(spec, 'behavior');
  return ['scaleUp', 'scaleDown'].flatMap((key) => validateRules(objectAt(behavior, key), `${field}.${key}`));
}
