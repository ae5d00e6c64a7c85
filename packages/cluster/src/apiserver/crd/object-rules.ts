import type { DynamicObject } from '@coxswain/k8s';
import { type FieldError, fieldError, type SchemaNode } from '@coxswain/schema';
import { isObject, listAt, objectAt, type ReadJson } from '../builtin/shared/draft.ts';
import type { Strategy } from '../types.ts';
import { loadRuleEngine, ruleEngine } from './rule-engine.ts';

/** Whether a schema has rules anywhere. It may be one that nobody has checked yet. */
export function hasRules(schema: ReadJson | undefined): boolean {
  if (!schema) return false;
  if (listAt(schema, 'x-kubernetes-validations').length > 0) return true;
  if (hasRules(objectAt(schema, 'items')) || hasRules(objectAt(schema, 'additionalProperties'))) return true;
  return Object.values(objectAt(schema, 'properties') ?? {}).some((one) => isObject(one) && hasRules(one));
}

/** With one of these an object is too far from its schema for the rules to make sense of it. */
const blocking: readonly FieldError['reason'][] = [
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
];
const unchecked = fieldError.invalid(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** The part of a custom kind's strategy that keeps the rules of its schema. Whether there are any is found out at the first write. */
export function objectRules(schema: SchemaNode): Pick<Strategy, 'ready' | 'validateRules'> {
  let known: boolean | undefined;
  const present = () => {
    known ??= hasRules(schema as ReadJson);
    return known;
  };
  return {
    ready: () => (present() ? loadRuleEngine() : undefined),
    validateRules(object: DynamicObject, old, found, { warn }) {
      if (!present()) return [];
      if (found.some(({ reason }) => blocking.includes(reason))) return [unchecked];
      const onTolerated = ({ field, message }: FieldError) => warn(`${field}: ${message}`);
      return ruleEngine().evaluateRules(schema, object, { old, onTolerated });
    },
  };
}
