import { formatBadValue, quote } from './engine/go-text.ts';
import type { FieldError } from './node.ts';

/**
 * Makers of field errors, one for each way a value can be wrong, worded as the API server words them.
 * `value` is the refused value, `detail` the sentence after it.
 */
export const fieldError = {
  required: (field: string, detail = ''): FieldError => make(field, 'FieldValueRequired', 'Required value', detail),
  forbidden: (field: string, detail: string): FieldError => make(field, 'FieldValueForbidden', 'Forbidden', detail),
  invalid: (field: string, value: unknown, detail: string): FieldError =>
    make(field, 'FieldValueInvalid', `Invalid value: ${formatBadValue(value)}`, detail),
  typeInvalid: (field: string, value: unknown, detail: string): FieldError =>
    make(field, 'FieldValueTypeInvalid', `Invalid value: ${formatBadValue(value)}`, detail),
  duplicate: (field: string, value: unknown): FieldError =>
    make(field, 'FieldValueDuplicate', `Duplicate value: ${formatBadValue(value)}`, ''),
  notFound: (field: string, value: unknown): FieldError =>
    make(field, 'FieldValueNotFound', `Not found: ${formatBadValue(value)}`, ''),
  notSupported: (field: string, value: unknown, supported: readonly string[]): FieldError =>
    make(
      field,
      'FieldValueNotSupported',
      `Unsupported value: ${formatBadValue(value)}`,
      supported.length > 0 ? `supported values: ${supported.map(quote).join(', ')}` : '',
    ),
  tooLong: (field: string, max: number): FieldError =>
    make(field, 'FieldValueTooLong', 'Too long', `may not be more than ${max} ${max === 1 ? 'byte' : 'bytes'}`),
  tooMany: (field: string, actual: number, max: number): FieldError =>
    make(field, 'FieldValueTooMany', `Too many: ${actual}`, `must have at most ${max} ${max === 1 ? 'item' : 'items'}`),
};

function make(field: string, reason: FieldError['reason'], body: string, detail: string): FieldError {
  return { field, reason, message: detail === '' ? body : `${body}: ${detail}` };
}
