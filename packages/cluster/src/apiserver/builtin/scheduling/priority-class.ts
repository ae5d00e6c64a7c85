import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { fill, objectAt, type ReadJson, textAt } from '../shared/draft.ts';
import { forbiddenField, notSupported, required } from '../shared/errors.ts';
import { unchanged } from '../shared/values.ts';

/** Highest value a user's priority class may have. */
const highestUserPriority = 1_000_000_000;

const reservedText = "priority class names with 'system-' prefix are reserved for system use only";
const systemClasses: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};
const preemptions = ['PreemptLowerPriority', 'Never'];

function validateValue(object: ReadJson): readonly FieldError[] {
  const name = textAt(objectAt(object, 'metadata'), 'name');
  const value = Number(object.value ?? 0);
  if (name.startsWith('system-')) {
    if (systemClasses[name] === value) return [];
    return [forbiddenField('metadata.name', `${reservedText}. error: ${name} is not a known system priority class`)];
  }
  if (value <= highestUserPriority) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`)];
}

function validatePreemption(policy: string): readonly FieldError[] {
  if (policy === '') return [required('preemptionPolicy')];
  return preemptions.includes(policy) ? [] : [notSupported('preemptionPolicy', policy, preemptions)];
}

export const priorityClassStrategy: Strategy = {
  default(draft) {
    fill(draft, 'preemptionPolicy', 'PreemptLowerPriority');
    fill(draft, 'value', 0);
  },
  validate: (object) => [...validateValue(object), ...validatePreemption(textAt(object, 'preemptionPolicy'))],
  validateUpdate: (object, old) => {
    const errors: FieldError[] = [];
    if (object.value !== old.value) errors.push(forbiddenField('value', 'may not be changed in an update.'));
    return [...errors, ...unchanged(object.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy')];
  },
};
