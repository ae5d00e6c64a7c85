import type { FieldError } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, textAt } from '../shared/draft.ts';
import { duplicate, required } from '../shared/errors.ts';

/** The conditions of a status: each has a type, and each type comes once. */
export function conditionTypes(object: ReadJson): readonly FieldError[] {
  const seen = new Set<string>();
  return objectsAt(objectAt(object, 'status'), 'conditions').flatMap((condition, i) => {
    const type = textAt(condition, 'type');
    const field = `status.conditions[${i}].type`;
    const errors = seen.has(type) ? [duplicate(field, type)] : [];
    seen.add(type);
    return type === '' ? [...errors, required(field)] : errors;
  });
}
