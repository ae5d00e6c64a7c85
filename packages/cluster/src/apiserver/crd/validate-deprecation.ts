import type { FieldError } from '@coxswain/schema';
import type { ReadJson } from '../builtin/shared/draft.ts';
import { invalidValue } from '../builtin/shared/errors.ts';

/** What a version says to those who use it, when it is deprecated. */
export function validateDeprecation(version: ReadJson, field: string): readonly FieldError[] {
  const { deprecationWarning: text } = version;
  if (typeof text !== 'string') return [];
  const own = `${field}.deprecationWarning`;
  if (version.deprecated !== true) return [invalidValue(own, text, 'can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > 256) errors.push(invalidValue(own, text, 'must be <= 256 characters long'));
  if (text === '') errors.push(invalidValue(own, text, 'must not be an empty string'));
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(text);
  if (odd) {
    const at = Buffer.byteLength(text.slice(0, odd.index));
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${at}`;
    errors.push(invalidValue(own, text, why));
  }
  return errors;
}
