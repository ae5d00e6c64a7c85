import type { FieldError } from '@coxswain/schema';
import { given, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { invalidValue, notSupported } from '../shared/errors.ts';
import { labelValue, qualifiedName } from '../shared/names.ts';
import { formatErrors } from '../shared/values.ts';

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateOperator(toleration: ReadJson, path: string): readonly FieldError[] {
  const value = textAt(toleration, 'value');
  switch (textAt(toleration, 'operator')) {
    case '':
    case 'Equal':
      return labelValue(value).length === 0
        ? []
        : [invalidValue(`${path}.operator`, value, labelValue(value).join(';'))];
    case 'Exists':
      return value === ''
        ? []
        : [invalidValue(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'")];
    case 'Lt':
    case 'Gt':
      return [notSupported(`${path}.operator`, toleration.operator, ['Equal', 'Exists', 'Lt', 'Gt'])];
    default:
      return [notSupported(`${path}.operator`, toleration.operator, ['Equal', 'Exists'])];
  }
}

/** Tolerations of a pod. */
export function validateTolerations(spec: ReadJson, field: string): readonly FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, i) => {
    const path = `${field}[${i}]`;
    const key = textAt(toleration, 'key');
    const effect = textAt(toleration, 'effect');
    const errors = key === '' ? [] : [...formatErrors(key, `${path}.key`, qualifiedName)];
    if (key === '' && toleration.operator !== 'Exists') {
      const text = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalidValue(`${path}.operator`, textAt(toleration, 'operator'), text));
    }
    if (given(toleration.tolerationSeconds) && effect !== 'NoExecute') {
      errors.push(invalidValue(`${path}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    errors.push(...validateOperator(toleration, path));
    if (effect !== '' && !effects.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, effects));
    return errors;
  });
}
