import type { FieldError } from '@coxswain/schema';
import { mapAt, type ReadJson } from '../shared/draft.ts';
import { invalidValue, required, tooLong } from '../shared/errors.ts';
import { qualifiedName } from '../shared/names.ts';

const longestParameters = 256 * 1024;
const mostParameters = 512;

/** Name of the driver that makes volumes; its case does not count. */
export function validateDriver(name: string, field: string): readonly FieldError[] {
  return name === ''
    ? []
    : qualifiedName(name.toLowerCase()).map((text) => invalidValue(field, name.toLowerCase(), text));
}

/** What a driver is told, as it stands. */
export function validateParameters(object: ReadJson, needed: boolean): readonly FieldError[] {
  const entries = Object.entries(mapAt(object, 'parameters'));
  const errors: FieldError[] = [];
  if (entries.length > mostParameters) errors.push(tooLong('parameters', mostParameters));
  for (const [key] of entries) if (key === '') errors.push(invalidValue('parameters', key, 'field can not be empty.'));
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  if (size > longestParameters) errors.push(tooLong('parameters', longestParameters));
  if (needed && entries.length === 0) {
    errors.push(required('parameters', 'must contain at least one key/value pair'));
  }
  return errors;
}
