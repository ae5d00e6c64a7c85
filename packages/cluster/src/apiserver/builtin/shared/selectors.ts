import type { FieldError } from '@coxswain/schema';
import { listAt, mapAt, objectsAt, type ReadJson, textAt } from './draft.ts';
import { forbiddenField, invalidValue, required, tooLong } from './errors.ts';
import { labelValue, qualifiedName } from './names.ts';

/** Checks a map of labels. Errors carry the field of the map, as the server does. */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels)) {
    for (const text of qualifiedName(key)) errors.push(invalidValue(field, key, text));
    for (const text of labelValue(value)) errors.push(invalidValue(field, value, text));
  }
  return errors;
}

/** All keys and values of annotations together. */
const longestAnnotations = 256 * 1024;

/** Checks the annotations of some metadata, as the server does: keys in lower case, and not too much of them. */
export function validateAnnotations(metadata: ReadJson | undefined, field: string): readonly FieldError[] {
  const annotations = mapAt(metadata, 'annotations');
  const errors = Object.keys(annotations).flatMap((key) =>
    qualifiedName(key.toLowerCase()).map((text) => invalidValue(field, key, text)),
  );
  const size = Object.entries(annotations).reduce((sum, [key, value]) => sum + Buffer.byteLength(key + value), 0);
  return size > longestAnnotations ? [...errors, tooLong(field, longestAnnotations)] : errors;
}

function validateRequirement(requirement: ReadJson, field: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const operator = textAt(requirement, 'operator');
  const values = listAt(requirement, 'values');
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) {
      errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    }
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) {
      errors.push(
        forbiddenField(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      );
    }
  } else {
    errors.push(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  }
  for (const text of qualifiedName(textAt(requirement, 'key'))) {
    errors.push(invalidValue(`${field}.key`, textAt(requirement, 'key'), text));
  }
  values.forEach((value, i) => {
    for (const text of labelValue(String(value))) errors.push(invalidValue(`${field}.values[${i}]`, value, text));
  });
  return errors;
}

/** Checks a LabelSelector; an absent one is fine. */
export function validateLabelSelector(selector: ReadJson | undefined, field: string): readonly FieldError[] {
  if (!selector) return [];
  return [
    ...validateLabels(mapAt(selector, 'matchLabels'), `${field}.matchLabels`),
    ...objectsAt(selector, 'matchExpressions').flatMap((requirement, i) =>
      validateRequirement(requirement, `${field}.matchExpressions[${i}]`),
    ),
  ];
}

/** Whether a LabelSelector selects everything because it says nothing. */
export function isEmptySelector(selector: ReadJson): boolean {
  return Object.keys(mapAt(selector, 'matchLabels')).length === 0 && listAt(selector, 'matchExpressions').length === 0;
}

function meetsRequirement(requirement: ReadJson, labels: Readonly<Record<string, string>>): boolean {
  const key = textAt(requirement, 'key');
  const value = labels[key];
  const values = listAt(requirement, 'values');
  switch (textAt(requirement, 'operator')) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Whether a LabelSelector (not absent; empty selects all) selects these labels. */
export function selectsLabels(selector: ReadJson, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(mapAt(selector, 'matchLabels')).every(([key, value]) => labels[key] === value) &&
    objectsAt(selector, 'matchExpressions').every((requirement) => meetsRequirement(requirement, labels))
  );
}

/** A LabelSelector in the notation of the `labelSelector` query parameter, keys in order. */
export function selectorText(selector: ReadJson | undefined): string {
  if (!selector) return '';
  const parts = Object.entries(mapAt(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  for (const requirement of objectsAt(selector, 'matchExpressions')) {
    const key = textAt(requirement, 'key');
    const values = [...listAt(requirement, 'values')].map(String).sort().join(',');
    const text: Record<string, string> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    parts.push({ key, text: text[textAt(requirement, 'operator')] ?? key });
  }
  return parts
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map((part) => part.text)
    .join(',');
}
