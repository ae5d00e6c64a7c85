import type { FieldError } from '@coxswain/schema';
import type { Strategy } from '../../types.ts';
import { objectAt, type ReadJson, sameJson } from '../shared/draft.ts';
import { forbiddenField, invalidValue, tooLong } from '../shared/errors.ts';
import { configMapKey } from '../shared/names.ts';

/** All values of a ConfigMap or Secret together. */
export const maxPayload = 1024 * 1024;

export function validateKeys(map: ReadJson | undefined, field: string): readonly FieldError[] {
  return Object.keys(map ?? {}).flatMap((key) =>
    configMapKey(key).map((text) => invalidValue(`${field}[${key}]`, key, text)),
  );
}

function bytesOf(map: ReadJson | undefined, encoded: boolean): number {
  let total = 0;
  for (const value of Object.values(map ?? {})) {
    if (typeof value === 'string') total += encoded ? Math.floor((value.length * 3) / 4) : Buffer.byteLength(value);
  }
  return total;
}

/** What an immutable object no longer allows; `fields` hold its payload. */
export function validateImmutable(object: ReadJson, old: ReadJson, fields: readonly string[]): readonly FieldError[] {
  if (old.immutable !== true) return [];
  const text = 'field is immutable when `immutable` is set';
  const errors = object.immutable === true ? [] : [forbiddenField('immutable', text)];
  for (const field of fields) {
    if (!sameJson(object[field] ?? {}, old[field] ?? {})) errors.push(forbiddenField(field, text));
  }
  return errors;
}

function validateConfigMap(object: ReadJson): readonly FieldError[] {
  const data = objectAt(object, 'data');
  const binaryData = objectAt(object, 'binaryData');
  const errors = [...validateKeys(data, 'data')];
  for (const key of Object.keys(data ?? {})) {
    if (binaryData && Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
  }
  errors.push(...validateKeys(binaryData, 'binaryData'));
  if (bytesOf(data, false) + bytesOf(binaryData, true) > maxPayload) errors.push(tooLong('[]', maxPayload));
  return errors;
}

export const configMapStrategy: Strategy = {
  validate: validateConfigMap,
  validateUpdate: (object, old) => validateImmutable(object, old, ['data', 'binaryData']),
};
