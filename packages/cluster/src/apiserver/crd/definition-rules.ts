import type { FieldError, SchemaNode } from '@coxswain/schema';
import { objectAt, objectsAt, type ReadJson, sameJson, textAt } from '../builtin/shared/draft.ts';
import type { Strategy } from '../types.ts';
import { hasRules } from './object-rules.ts';
import { loadRuleEngine, ruleEngine } from './rule-engine.ts';
import { schemaOf, schemaPlaces } from './validate.ts';

const versionsOf = (object: ReadJson | undefined) => objectsAt(objectAt(object, 'spec'), 'versions');

/** A schema that was accepted before is not judged again. */
function isKept(version: ReadJson, old: ReadJson | undefined): boolean {
  const before = versionsOf(old).find((one) => textAt(one, 'name') === textAt(version, 'name'));
  return before !== undefined && sameJson(schemaOf(before), schemaOf(version));
}

const text = ({ field, message }: FieldError) => `${field}: ${message}`;

/** Errors of a schema's structure; those of the form of its rules do not keep the other rules from being judged. */
function isStructural(error: FieldError, path: string): boolean {
  return error.field.startsWith(path) && !error.field.includes('.x-kubernetes-validations[');
}

/** The part of the strategy of definitions that judges the rules in their schemas: their form, whether they compile, their cost. */
export const definitionRules: Pick<Strategy, 'ready' | 'validateRules'> = {
  ready: (draft) => (versionsOf(draft).some((version) => hasRules(schemaOf(version))) ? loadRuleEngine() : undefined),
  validateRules(object, old, found) {
    const known = new Set(found.map(text));
    return schemaPlaces(versionsOf(object)).flatMap(({ version, field }) => {
      const schema = schemaOf(version);
      if (!hasRules(schema) || isKept(version, old) || found.some((error) => isStructural(error, field))) return [];
      const node = schema as SchemaNode;
      const ofDefaults = ruleEngine().validateDefaults(node, field);
      const errors = ofDefaults.length > 0 ? ofDefaults : ruleEngine().validateRules(node, field);
      return errors.filter((error) => !known.has(text(error)));
    });
  },
};
