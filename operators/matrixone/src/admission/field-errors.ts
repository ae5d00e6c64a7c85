import type { Json } from '@coxswain/k8s';
import { type FieldError, fieldError } from '@coxswain/schema';
import type { Problem } from '../validation/index.ts';

/** The value at a path such as `spec.cnGroups[0].name`, if it is a plain one: whole objects would not help the reader. */
function valueAt(object: unknown, path: string): Json {
  let value: unknown = object;
  for (const step of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}

/** Stands for a value that is not repeated: `null` would say that there is none. */
const hidden = '(not shown)';

/** Problems of an object as the API server tells them. Values laid over containers are not repeated: they may be secret. */
export function fieldErrors(object: unknown, problems: readonly Problem[]): readonly FieldError[] {
  return problems.map(({ field, message }) => {
    const isSecret = field.includes('.overlay') || field.endsWith('.config');
    return fieldError.invalid(field, isSecret ? hidden : valueAt(object, field), message);
  });
}
