import type { FieldError } from '@coxswain/schema';
import { type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported, required } from '../shared/errors.ts';
import { labelValue, qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

const effects = ['NoExecute', 'NoSchedule', 'None'];

/** @param before the effect it had: what was once stored is not looked at again */
export function checkTaint(taint: ReadJson, field: string, before?: string): readonly FieldError[] {
  const [key, value, effect] = [textAt(taint, 'key'), textAt(taint, 'value'), textAt(taint, 'effect')];
  const errors = [
    ...formatErrors(key, `${field}.key`, qualifiedName),
    ...formatErrors(value, `${field}.value`, labelValue),
  ];
  if (before === effect) return errors;
  if (effect === '') errors.push(required(`${field}.effect`));
  else if (!effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
  return errors;
}

export function checkToleration(toleration: ReadJson, field: string): readonly FieldError[] {
  const [key, value] = [textAt(toleration, 'key'), textAt(toleration, 'value')];
  const [operator, effect] = [textAt(toleration, 'operator'), textAt(toleration, 'effect')];
  const errors: FieldError[] = [];
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidValue(`${field}.value`, value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') errors.push(...formatErrors(value, `${field}.value`, labelValue));
  else if (operator === '') errors.push(required(`${field}.operator`));
  else errors.push(notSupported(`${field}.operator`, operator, ['Equal', 'Exists']));
  if (effect !== '' && !effects.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, effects));
  if (key !== '') errors.push(...formatErrors(key, `${field}.key`, qualifiedName));
  return errors;
}
