import type { FieldError } from '@coxswain/schema';
import { given, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, invalidValue, notSupported, required } from '../shared/errors.ts';
import { validateLabelSelector } from '../shared/selectors.ts';
import { validateLabelKeys } from './validate-affinity.ts';

const modes = ['DoNotSchedule', 'ScheduleAnyway'];
const policies = ['Honor', 'Ignore'];
const positiveText = 'must be greater than zero';

function validateMinDomains(constraint: ReadJson, field: string): readonly FieldError[] {
  const least = numberAt(constraint, 'minDomains');
  if (least === undefined) return [];
  const errors = least <= 0 ? [invalidValue(field, least, positiveText)] : [];
  const mode = textAt(constraint, 'whenUnsatisfiable');
  if (mode === 'DoNotSchedule') return errors;
  const text = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${mode}`;
  return [...errors, invalidValue(field, least, text)];
}

function validateConstraint(constraint: ReadJson, others: readonly ReadJson[], field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const skew = numberAt(constraint, 'maxSkew') ?? 0;
  if (skew <= 0) errors.push(invalidValue(`${field}.maxSkew`, skew, positiveText));
  const key = textAt(constraint, 'topologyKey');
  if (key === '') errors.push(required(`${field}.topologyKey`, 'can not be empty'));
  const mode = textAt(constraint, 'whenUnsatisfiable');
  if (!modes.includes(mode)) errors.push(notSupported(`${field}.whenUnsatisfiable`, mode, modes));
  if (
    others.some((other) => other.topologyKey === constraint.topologyKey && textAt(other, 'whenUnsatisfiable') === mode)
  ) {
    errors.push(duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${mode}}`));
  }
  errors.push(...validateMinDomains(constraint, `${field}.minDomains`));
  for (const name of ['nodeAffinityPolicy', 'nodeTaintsPolicy']) {
    const policy = constraint[name];
    if (given(policy) && !policies.includes(String(policy)))
      errors.push(notSupported(`${field}.${name}`, policy, policies));
  }
  return [
    ...errors,
    ...validateLabelKeys(constraint, field),
    ...validateLabelSelector(objectAt(constraint, 'labelSelector'), `${field}.labelSelector`),
  ];
}

/** `topologySpreadConstraints` of a pod. */
export function validateSpread(spec: ReadJson, field: string): readonly FieldError[] {
  const constraints = objectsAt(spec, 'topologySpreadConstraints');
  return constraints.flatMap((constraint, i) =>
    validateConstraint(constraint, constraints.slice(i + 1), `${field}[${i}]`),
  );
}
