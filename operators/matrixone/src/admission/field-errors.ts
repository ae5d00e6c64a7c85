import type { Json } from '@coxswain/k8s';
import { type FieldError, fieldError } from '@coxswain/schema';
import type { Problem } from '../validation/index.ts';

/** Stands for a value that is not repeated: `null` would say that there is none. */
const hidden = '(not shown)';

/** The value at a path such as `spec.cnGroups[0].name`; `null` when there is none. Whole objects would not help the reader. */
function valueAt(object: unknown, path: string): Json {
  let value: unknown = object;
  for (const step of path.split(/[.[\]]+/).filter(Boolean)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return null;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return isPlain(value) ? value : hidden;
}

function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** Problems of an object as the API server tells them. Values laid over containers are not repeated: they may be secret. */
export function fieldErrors(object: unknown, problems: readonly Problem[]): readonly FieldError[] {
  return problems.map(({ field, message, value }) => {
    const isSecret = field.includes('.overlay') || field.endsWith('.config');
    return fieldError.invalid(field, isSecret ? hidden : (value ?? valueAt(object, field)), message);
  });
}
