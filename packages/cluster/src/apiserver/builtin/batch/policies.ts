import type { FieldError } from '@coxswain/schema';
import { given, listAt, numberAt, objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, invalidValue, notSupported, omittedValue, required, tooMany } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';
import { formatErrors, nonNegative } from '../shared/values.ts';
import { parseIndexes } from './indexes.ts';

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const statuses = ['False', 'True', 'Unknown'];

/** A word out of a list; the server names the list when there is none. */
function word(value: string, field: string, words: readonly string[]): readonly FieldError[] {
  if (value === '') return [required(field, `valid values: [${words.map((one) => JSON.stringify(one)).join(' ')}]`)];
  return words.includes(value) ? [] : [notSupported(field, value, words)];
}

function validateExitCodes(rule: ReadJson, containers: readonly string[], field: string): readonly FieldError[] {
  const operator = textAt(rule, 'operator');
  const errors = [...word(operator, `${field}.operator`, operators)];
  const { containerName } = rule;
  if (given(containerName) && !containers.includes(String(containerName))) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${field}.containerName`, containerName, text));
  }
  const values = listAt(rule, 'values').map(Number);
  const own = `${field}.values`;
  if (values.length === 0) errors.push(invalidValue(own, [], 'at least one value is required'));
  else if (values.length > 255) errors.push(tooMany(own, values.length, 255));
  values.forEach((value, i) => {
    if (operator === 'In' && value === 0) {
      errors.push(invalidValue(`${own}[${i}]`, value, 'must not be 0 for the In operator'));
    }
    if (values.indexOf(value) < i) errors.push(duplicate(`${own}[${i}]`, value));
  });
  if (values.some((value, i) => i > 0 && (values[i - 1] ?? 0) > value)) {
    errors.push(invalidValue(own, values, 'must be ordered'));
  }
  return errors;
}

function validateFailureRule(
  spec: ReadJson,
  rule: ReadJson,
  containers: readonly string[],
  field: string,
): readonly FieldError[] {
  const action = textAt(rule, 'action');
  const errors: FieldError[] = [];
  if (action !== 'FailIndex') errors.push(...word(action, `${field}.action`, actions));
  else if (!given(spec.backoffLimitPerIndex)) {
    errors.push(invalidValue(`${field}.action`, action, 'requires the backoffLimitPerIndex to be set'));
  }
  const codes = objectAt(rule, 'onExitCodes');
  const conditions = objectsAt(rule, 'onPodConditions');
  if (codes) errors.push(...validateExitCodes(codes, containers, `${field}.onExitCodes`));
  conditions.forEach((pattern, i) => {
    const own = `${field}.onPodConditions[${i}]`;
    errors.push(
      ...formatErrors(textAt(pattern, 'type'), `${own}.type`, qualifiedName),
      ...word(textAt(pattern, 'status'), `${own}.status`, statuses),
    );
  });
  const ways = (codes ? 1 : 0) + (conditions.length > 0 ? 1 : 0);
  if (ways === 2) errors.push(omittedValue(field, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (ways === 0) errors.push(omittedValue(field, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

/** `podFailurePolicy` of a JobSpec. */
export function validateFailurePolicy(spec: ReadJson, field: string): readonly FieldError[] {
  const policy = objectAt(spec, 'podFailurePolicy');
  if (!policy) return [];
  const podSpec = objectAt(objectAt(spec, 'template'), 'spec');
  const containers = ['containers', 'initContainers'].flatMap((key) =>
    objectsAt(podSpec, key).map((container) => textAt(container, 'name')),
  );
  const rules = objectsAt(policy, 'rules');
  return [
    ...(rules.length > 20 ? [tooMany(`${field}.rules`, rules.length, 20)] : []),
    ...rules.flatMap((rule, i) => validateFailureRule(spec, rule, containers, `${field}.rules[${i}]`)),
  ];
}

function validateSuccessRule(rule: ReadJson, completions: number, field: string): readonly FieldError[] {
  const { succeededIndexes } = rule;
  const count = numberAt(rule, 'succeededCount');
  const errors: FieldError[] = [];
  if (count === undefined && !given(succeededIndexes)) {
    errors.push(required(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  }
  let named = 0;
  if (given(succeededIndexes)) {
    const indexes = parseIndexes(String(succeededIndexes), completions);
    if ('count' in indexes) named = indexes.count;
    else {
      const text = `error parsing succeededIndexes: ${indexes.fault}`;
      errors.push(invalidValue(`${field}.succeededIndexes`, succeededIndexes, text));
    }
  }
  if (count === undefined) return errors;
  const own = `${field}.succeededCount`;
  const limit = (most: number, what: string) =>
    errors.push(invalidValue(own, count, `must be less than or equal to ${most} (the number of ${what})`));
  errors.push(...nonNegative(count, own));
  if (count > completions) limit(completions, 'specified completions');
  if (given(succeededIndexes) && count > named) limit(named, 'indexes in the specified succeededIndexes field');
  return errors;
}

/** `successPolicy` of the JobSpec of an indexed job. */
export function validateSuccessPolicy(spec: ReadJson, field: string): readonly FieldError[] {
  const rules = objectsAt(objectAt(spec, 'successPolicy'), 'rules');
  const completions = numberAt(spec, 'completions') ?? 0;
  const own = `${field}.rules`;
  return [
    ...(rules.length === 0
      ? [required(own, 'at least one rules must be specified when the successPolicy is specified')]
      : []),
    ...(rules.length > 20 ? [tooMany(own, rules.length, 20)] : []),
    ...rules.flatMap((rule, i) => validateSuccessRule(rule, completions, `${own}[${i}]`)),
  ];
}
