import type { FieldError } from '@coxswain/schema';
import { sameJson } from './draft.ts';
import { immutableText, invalidValue, required } from './errors.ts';
import { nonNegativeText } from './names.ts';

/** An absent number counts as 0. */
export function nonNegative(value: unknown, field: string): readonly FieldError[] {
  return typeof value === 'number' && value < 0 ? [invalidValue(field, value, nonNegativeText)] : [];
}

/** Zero is not enough. */
export function positive(value: unknown, field: string): readonly FieldError[] {
  return typeof value === 'number' && value <= 0 ? [invalidValue(field, value, 'must be greater than 0')] : [];
}

export function unchanged(value: unknown, old: unknown, field: string): readonly FieldError[] {
  return sameJson(value ?? undefined, old ?? undefined) ? [] : [invalidValue(field, value, immutableText)];
}

/** Turns the texts of a format rule into errors of a field. */
export function formatErrors(
  value: string,
  field: string,
  rule: (value: string) => readonly string[],
): readonly FieldError[] {
  return rule(value).map((text) => invalidValue(field, value, text));
}

/** A name that must be given and follow a rule. */
export function requiredName(
  value: string,
  field: string,
  rule: (value: string) => readonly string[],
  detail = '',
): readonly FieldError[] {
  return value === '' ? [required(field, detail)] : formatErrors(value, field, rule);
}

/** A number or a percentage: not negative, and of the form `N%` when text. */
export function intOrPercent(value: unknown, field: string): readonly FieldError[] {
  if (typeof value === 'number') return nonNegative(value, field);
  if (typeof value !== 'string') return [];
  if (/^[0-9]+%$/.test(value)) return [];
  const text =
    "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalidValue(field, value, text)];
}

/** The percentage of an IntOrPercent, when it is one. */
export function percentOf(value: unknown): number | undefined {
  const match = typeof value === 'string' ? /^([0-9]+)%$/.exec(value) : null;
  return match ? Number(match[1]) : undefined;
}

/** The number, or the percentage, of an IntOrPercent; 0 for what is neither. */
export function amountOf(value: unknown): number {
  return typeof value === 'number' ? value : (percentOf(value) ?? 0);
}

/** A percentage above 100. */
export function atMostAll(value: unknown, field: string): readonly FieldError[] {
  return (percentOf(value) ?? 0) > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}
