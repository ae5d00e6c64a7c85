import type { FieldError } from '@coxswain/schema';
import { given, type ReadJson, textAt } from './draft.ts';
import { duplicate, invalidValue, notSupported, required, tooLong } from './errors.ts';
import { qualifiedName, regexText } from './names.ts';

const reason = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const reasonRegExp = new RegExp(`^${reason}$`);
const reasonText = regexText(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reason,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);

const statuses = ['False', 'True', 'Unknown'];

function checkCondition(condition: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [type, status, why] = [textAt(condition, 'type'), textAt(condition, 'status'), textAt(condition, 'reason')];
  if (type === '') errors.push(required(`${field}.type`, 'is required'));
  else errors.push(...qualifiedName(type).map((text) => invalidValue(`${field}.type`, type, text)));
  if (status === '') errors.push(required(`${field}.status`));
  else if (!statuses.includes(status)) errors.push(notSupported(`${field}.status`, status, statuses));
  if (Number(condition.observedGeneration ?? 0) < 0) {
    const text = 'must be greater than or equal to zero';
    errors.push(invalidValue(`${field}.observedGeneration`, condition.observedGeneration, text));
  }
  if (!given(condition.lastTransitionTime)) errors.push(required(`${field}.lastTransitionTime`));
  if (why === '') errors.push(required(`${field}.reason`));
  else if (!reasonRegExp.test(why)) errors.push(invalidValue(`${field}.reason`, why, reasonText));
  if (why.length > 1024) errors.push(tooLong(`${field}.reason`, 1024));
  if (textAt(condition, 'message').length > 32_768) errors.push(tooLong(`${field}.message`, 32_768));
  return errors;
}

/** Checks a list of `metav1.Condition`. */
export function checkConditions(conditions: readonly ReadJson[], field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap((condition, i) => {
    const type = textAt(condition, 'type');
    const twice = seen.has(type) ? [duplicate(`${field}[${i}]`, type)] : [];
    seen.add(type);
    return [...twice, ...checkCondition(condition, `${field}[${i}]`)];
  });
}
