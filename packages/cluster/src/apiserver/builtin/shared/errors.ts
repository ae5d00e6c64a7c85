import { stringifyJson } from '@coxswain/runtime/client';
import type { FieldError } from '@coxswain/schema';

/** How Go's server prints a rejected value: strings quoted, maps and lists as JSON. */
function shown(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return stringifyJson(value);
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}

export function required(field: string, detail = ''): FieldError {
  return { field, reason: 'FieldValueRequired', message: withDetail('Required value', detail) };
}

export function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: withDetail(`Invalid value: ${shown(value)}`, detail) };
}

/** `supported` is printed in the given order. */
export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported.map((text) => JSON.stringify(text)).join(', ');
  return {
    field,
    reason: 'FieldValueNotSupported',
    message: withDetail(`Unsupported value: ${shown(value)}`, list === '' ? '' : `supported values: ${list}`),
  };
}

export function duplicate(field: string, value: unknown): FieldError {
  return { field, reason: 'FieldValueDuplicate', message: `Duplicate value: ${shown(value)}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueForbidden', message: withDetail('Forbidden', detail) };
}

export function notFoundValue(field: string, value: unknown): FieldError {
  return { field, reason: 'FieldValueNotFound', message: `Not found: ${shown(value)}` };
}

export function tooLong(field: string, max: number): FieldError {
  return { field, reason: 'FieldValueTooLong', message: `Too long: may not be more than ${max} bytes` };
}

export const immutableText = 'field is immutable';

/** An invalid value that is not shown. */
export function omittedValue(field: string, detail: string): FieldError {
  return { field, reason: 'FieldValueInvalid', message: withDetail('Invalid value', detail) };
}

export function tooMany(field: string, count: number, max: number): FieldError {
  const items = max === 1 ? 'item' : 'items';
  return { field, reason: 'FieldValueTooMany', message: `Too many: ${count}: must have at most ${max} ${items}` };
}
