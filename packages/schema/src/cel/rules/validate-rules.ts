import { marshalJson } from '../../engine/go-text.ts';
import { fieldError } from '../../field-error.ts';
import type { FieldError, SchemaNode, ValidationRule } from '../../node.ts';
import { trimSpace } from '../library/strings.ts';
import { type CompiledRule, compileRules, maxCardinality } from './compile-rule.ts';
import { declTypeOf } from './decl-type.ts';
import { normalizeFieldPath } from './field-path.ts';

/** The most a rule may cost by the bounds of its schema, and all rules of a schema together. */
export const ruleCostLimit = 10_000_000;
/** The most that all rules of one schema may cost together, by the server's estimate. */
export const schemaCostLimit = 100_000_000;

const overflow = 2 ** 64;
const reasons = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

/**
 * Judges the rules of a definition's schema: their form, whether they compile, and what they can cost
 * (`spec/embedded.md` §1.11). The schema is structurally valid.
 * @param path of the schema in the definition: `spec.validation.openAPIV3Schema`
 * @returns what the API server would refuse, in its words: errors of form before those of expressions
 */
export function validateRules(schema: SchemaNode, path: string): FieldError[] {
  const judge = new Judge();
  const { form, expressions } = judge.visit(schema, { path, isRoot: true, cardinality: 1, uncorrelatable: undefined });
  return [...form, ...expressions, ...judge.total(path)];
}

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  /** How often values of the node can be there; undefined when nothing bounds it. */
  readonly cardinality: number | undefined;
  /** The list or map above whose items cannot be matched with the stored ones. */
  readonly uncorrelatable: string | undefined;
}

interface Findings {
  readonly form: FieldError[];
  readonly expressions: FieldError[];
}

class Judge {
  #total = 0;
  #expensive: { readonly path: string; readonly cost: number }[] = [];

  visit(node: SchemaNode, place: Place): Findings {
    const form: FieldError[] = [];
    const expressions: FieldError[] = [];
    for (const [child, at] of children(node, place)) {
      const found = this.visit(child, at);
      form.push(...found.form);
      expressions.push(...found.expressions);
    }
    const rules = node['x-kubernetes-validations'] ?? [];
    for (const [index, rule] of rules.entries()) {
      form.push(...formErrors(rule, node, `${place.path}.x-kubernetes-validations[${index}]`));
    }
    if (rules.length > 0 && form.length === 0) expressions.push(...this.#compiled(rules, node, place));
    return { form, expressions };
  }

  #compiled(rules: readonly ValidationRule[], node: SchemaNode, place: Place): FieldError[] {
    if (!declTypeOf(node, place.isRoot)) {
      const what = 'failed to construct type information for x-kubernetes-validations rules';
      const why = 'unable to convert structural schema to CEL declarations';
      const message = `Internal error: internal error: ${what}: ${why}`;
      return [{ field: `${place.path}.x-kubernetes-validations`, reason: 'InternalError', message }];
    }
    const results = compileRules(rules, node, { isRoot: place.isRoot });
    const times = place.cardinality ?? maxCardinality(node, place.isRoot);
    return results.flatMap((result, index) => {
      const path = `${place.path}.x-kubernetes-validations[${index}]`;
      const rule = rules[index] ?? { rule: '' };
      if ('error' in result) return [refusedRule(`${path}.rule`, rule, result.error), ...unusedOldSelf(rule, path)];
      return this.#ruleErrors(result, path, times, place.uncorrelatable);
    });
  }

  #ruleErrors(compiled: CompiledRule, path: string, times: number, uncorrelatable: string | undefined): FieldError[] {
    const { rule, messageError, messageExpression, maxMessageCost, usesOldSelf } = compiled;
    const errors: FieldError[] = [];
    this.#charge(`${path}.rule`, Math.min(compiled.maxCost * times, overflow), 'estimated rule cost', errors);
    if (messageError !== undefined) errors.push(refusedRule(`${path}.messageExpression`, rule, messageError));
    else if (messageExpression) {
      this.#charge(`${path}.messageExpression`, maxMessageCost, 'estimated messageExpression cost', errors);
    }
    if (!usesOldSelf) errors.push(...unusedOldSelf(rule, path));
    else if (uncorrelatable !== undefined) {
      const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
      errors.push(fieldError.invalid(`${path}.rule`, rule.rule, detail));
    }
    return errors;
  }

  #charge(path: string, cost: number, name: string, errors: FieldError[]): void {
    if (cost > ruleCostLimit) errors.push(fieldError.forbidden(path, tooExpensive(name, cost, ruleCostLimit)));
    this.#total = Math.min(this.#total + cost, overflow);
    if (cost < schemaCostLimit / 100) return;
    this.#expensive.push({ path, cost });
    this.#expensive.sort((a, b) => b.cost - a.cost);
    this.#expensive = this.#expensive.slice(0, 4);
  }

  /** What all rules together exceed, with the rules that contribute most. */
  total(path: string): FieldError[] {
    if (this.#total <= schemaCostLimit) return [];
    const shared = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const name = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [
      ...this.#expensive.map((rule) => fieldError.forbidden(rule.path, shared)),
      fieldError.forbidden(path, tooExpensive(name, this.#total, schemaCostLimit)),
    ];
  }
}

function* children(node: SchemaNode, place: Place): Iterable<readonly [SchemaNode, Place]> {
  const factor = multiplicity(node);
  const { cardinality } = place;
  const bounded =
    cardinality === undefined || factor === undefined ? undefined : Math.min(cardinality * factor, overflow);
  const at = (child: SchemaNode, path: string, uncorrelatable = place.uncorrelatable): readonly [SchemaNode, Place] => {
    const isRoot = child['x-kubernetes-embedded-resource'] === true;
    return [child, { path: `${place.path}.${path}`, isRoot, cardinality: bounded, uncorrelatable }];
  };
  if (typeof node.additionalProperties === 'object') yield at(node.additionalProperties, 'additionalProperties');
  for (const [name, property] of Object.entries(node.properties ?? {})) yield at(property, `properties[${name}]`);
  if (node.items) {
    const matched = node['x-kubernetes-list-type'] === 'map';
    yield at(node.items, 'items', matched ? place.uncorrelatable : (place.uncorrelatable ?? place.path));
  }
}

/** How many children a value of the node can have; undefined when nothing bounds it. */
function multiplicity(node: SchemaNode): number | undefined {
  if (node.type === 'array') return node.maxItems === undefined ? undefined : Math.max(node.maxItems, 0);
  if (node.type !== 'object' || node.additionalProperties === undefined) return 1;
  return node.maxProperties === undefined ? undefined : Math.max(node.maxProperties, 0);
}

function hasLineBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

function formErrors(rule: ValidationRule, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const text = trimSpace(rule.rule ?? '');
  const message = trimSpace(rule.message ?? '');
  if (text === '') errors.push(fieldError.required(`${path}.rule`, 'rule is not specified'));
  else if (rule.message && message === '') {
    errors.push(fieldError.invalid(`${path}.message`, rule.message, 'must be non-empty if specified'));
  } else if (hasLineBreaks(message)) {
    errors.push(fieldError.invalid(`${path}.message`, rule.message, 'must not contain line breaks'));
  } else if (hasLineBreaks(text) && message === '') {
    errors.push(fieldError.required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  }
  if (rule.messageExpression && trimSpace(rule.messageExpression) === '') {
    const detail = 'messageExpression must be non-empty if specified';
    errors.push(fieldError.required(`${path}.messageExpression`, detail));
  }
  if (rule.reason !== undefined && !reasons.includes(rule.reason)) {
    errors.push(fieldError.notSupported(`${path}.reason`, rule.reason, reasons));
  }
  if (rule.fieldPath) errors.push(...fieldPathErrors(rule.fieldPath, node, `${path}.fieldPath`));
  return errors;
}

function fieldPathErrors(fieldPath: string, node: SchemaNode, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (trimSpace(fieldPath) === '') errors.push(fieldError.invalid(path, fieldPath, 'must be non-empty if specified'));
  if (hasLineBreaks(fieldPath)) errors.push(fieldError.invalid(path, fieldPath, 'must not contain line breaks'));
  if (normalizeFieldPath(fieldPath, node) === undefined) {
    errors.push(fieldError.invalid(path, fieldPath, 'must be a valid path'));
  }
  return errors;
}

function unusedOldSelf(rule: ValidationRule, path: string): FieldError[] {
  if (rule.optionalOldSelf === undefined) return [];
  const detail = 'may not be set if oldSelf is not used in rule';
  return [fieldError.invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, detail)];
}

/** The server shows the whole rule, with the names of its own fields. */
function refusedRule(field: string, rule: ValidationRule, detail: string): FieldError {
  const parts = [
    `"Rule":${marshalJson(rule.rule ?? '')}`,
    `"Message":${marshalJson(rule.message ?? '')}`,
    `"MessageExpression":${marshalJson(rule.messageExpression ?? '')}`,
    `"Reason":${marshalJson(rule.reason ?? null)}`,
    `"FieldPath":${marshalJson(rule.fieldPath ?? '')}`,
    `"OptionalOldSelf":${marshalJson(rule.optionalOldSelf ?? null)}`,
  ];
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: {${parts.join(',')}}: ${detail}` };
}

function tooExpensive(name: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice =
    'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${name} exceeds budget by factor of ${factor} (${advice})`;
}
