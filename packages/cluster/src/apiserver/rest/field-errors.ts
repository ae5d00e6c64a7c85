import { stringifyJson } from '@coxswain/runtime/client';
import type { FieldError } from '@coxswain/schema';

/** A value as error texts show it: strings quoted, the rest as JSON. */
function shown(value: unknown): string {
  return value === undefined ? 'null' : stringifyJson(value);
}

export function fieldInvalid(field: string, value: unknown, why: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${shown(value)}: ${why}` };
}

export function fieldRequired(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueRequired', message: why === '' ? 'Required value' : `Required value: ${why}` };
}

export function fieldForbidden(field: string, why: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: `Forbidden: ${why}` };
}

export function fieldTooLong(field: string, limit: number): FieldError {
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${limit} bytes` };
}
