import { Correlation } from '../../engine/correlation.ts';
import { marshalJson, quote } from '../../engine/go-text.ts';
import { fieldError } from '../../field-error.ts';
import { isObject, own } from '../../json.ts';
import type { FieldError, SchemaNode, ValidationRule } from '../../node.ts';
import { type Outcome, perCallLimit } from '../expression.ts';
import { trimSpace } from '../library/strings.ts';
import { CelError } from '../values/errors.ts';
import { Optional, type Value } from '../values/value.ts';
import type { CompiledRule } from './compile-rule.ts';
import { type RulePlan, rulePlanOf } from './rule-plan.ts';

/** What all rules of one object may cost together. */
export const objectBudget = 10_000_000;

/** What the rules are evaluated with besides the value. */
export interface EvaluateOptions {
  /** The stored value on an update. Without it, rules that compare with it are skipped. */
  readonly old?: unknown;
  /** Default {@link objectBudget}. */
  readonly budget?: number;
  /** Put before the fields of the errors. */
  readonly path?: string;
  /** Whether the schema is the root of a resource. Default true. */
  readonly isRoot?: boolean;
  /** Told of errors that are tolerated because the value did not change; they become warnings. */
  readonly onTolerated?: (error: FieldError) => void;
}

const none: readonly FieldError[] = Object.freeze([]);

/**
 * Evaluates the `x-kubernetes-validations` of a schema on a value that is valid otherwise.
 * @returns what the API server would refuse, in its words
 */
export function evaluateRules(
  schema: SchemaNode,
  value: unknown,
  options: EvaluateOptions = {},
): readonly FieldError[] {
  const plan = rulePlanOf(schema, options.isRoot ?? true);
  if (!plan) return none;
  const { old, path = '' } = options;
  const correlation = old === undefined ? undefined : new Correlation(schema, value, old, (node) => node);
  const walk = new Walk(options);
  walk.visit(plan, path, value, old, { current: correlation, parent: undefined });
  return walk.errors;
}

/** Where the stored value is matched with the new one; the nearest match above decides where there is none. */
interface Match {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

class Walk {
  readonly errors: FieldError[] = [];
  readonly #tolerated: (error: FieldError) => void;
  #budget: number;

  constructor({ budget = objectBudget, onTolerated = () => undefined }: EvaluateOptions) {
    this.#budget = budget;
    this.#tolerated = onTolerated;
  }

  visit(plan: RulePlan, path: string, value: unknown, old: unknown, match: Match): void {
    if (value === null || value === undefined || this.#budget < 0) return;
    if (plan.rules.length > 0) this.#rules(plan, path, value, old ?? undefined, match);
    if (Array.isArray(value)) this.#items(plan, path, value, old, match);
    else if (isObject(value)) this.#fields(plan, path, value, old, match);
  }

  #items({ items, node }: RulePlan, path: string, value: readonly unknown[], old: unknown, match: Match): void {
    if (!items) return;
    const find = oldItems(node, old);
    for (const [index, item] of value.entries()) {
      const next = match.current ? { current: match.current.item(index), parent: match.current } : match;
      this.visit(items, `${path}[${index}]`, item, find(item), next);
    }
  }

  #fields(
    { properties, values }: RulePlan,
    path: string,
    value: Record<string, unknown>,
    old: unknown,
    match: Match,
  ): void {
    const before = isObject(old) ? old : undefined;
    for (const name of Object.keys(value)) {
      const plan = values ?? properties.get(name);
      if (!plan) continue;
      const field = values ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
      this.visit(plan, field, value[name], before && own(before, name), fieldMatch(match, name));
    }
  }

  #rules(plan: RulePlan, path: string, value: unknown, old: unknown, match: Match): void {
    const field = path === '' ? '<nil>' : path;
    if (this.#budget <= 0) {
      this.#stop(invalidType(plan.node, field, outOfBudget));
      return;
    }
    let self: Value;
    let oldSelf: Value | undefined;
    try {
      self = plan.read(value);
      oldSelf = old === undefined || !plan.usesOldSelf ? undefined : plan.read(old);
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      for (const rule of plan.rules) {
        if ('rule' in rule) this.errors.push(invalidType(plan.node, field, evaluationFailed(error.message, rule.rule)));
      }
      return;
    }
    for (const rule of plan.rules) {
      if (this.#budget < 0) return;
      if ('error' in rule) this.errors.push(invalidType(plan.node, field, `rule compile error: ${rule.error}`));
      else this.#rule({ plan, rule, path, field, value, self, oldSelf, match });
    }
  }

  #rule(check: Check): void {
    const { plan, rule, field, self, oldSelf } = check;
    const optional = rule.rule.optionalOldSelf === true;
    if (rule.usesOldSelf && oldSelf === undefined && !optional) return;
    const previous = optional ? (oldSelf === undefined ? Optional.none : new Optional(oldSelf)) : oldSelf;
    const outcome = rule.expression.evaluate({ self, oldSelf: previous }, perCallLimit);
    if (outcome.cost > this.#budget) {
      this.#stop(invalidType(plan.node, field, outOfBudget));
      return;
    }
    this.#budget -= outcome.cost;
    if ('error' in outcome) this.#failed(check, outcome);
    else if (outcome.value !== true) this.#violated(check);
  }

  #failed({ plan, rule, field }: Check, { error, cancelled }: Extract<Outcome, { error: string }>): void {
    const shown = ruleText(rule.rule);
    if (cancelled) {
      const detail = `'${error}': no further validation rules will be run due to call cost exceeds limit for rule: ${shown}`;
      this.#stop(invalidType(plan.node, field, detail));
    } else this.errors.push(invalidType(plan.node, field, evaluationFailed(error, rule.rule)));
  }

  #violated(check: Check): void {
    const { rule, path } = check;
    const place = rule.fieldPath === '' ? path : path === '' ? rule.fieldPath : `${path}.${rule.fieldPath}`;
    const field = place === '' ? '<nil>' : place;
    const message = this.#message(check, field);
    if (message === undefined) return;
    this.#add(check, violation(check, field, message));
  }

  /** The text of a violation; undefined when making it has ended the evaluation. */
  #message(check: Check, field: string): string | undefined {
    const { rule, self, oldSelf, plan } = check;
    const standard = rule.rule.message ? trimSpace(rule.rule.message) : `failed rule: ${ruleText(rule.rule)}`;
    if (!rule.messageExpression) return standard;
    const outcome = rule.messageExpression.evaluate({ self, oldSelf }, perCallLimit);
    const problem = messageProblem(outcome, this.#budget, rule.rule.messageExpression ?? '');
    if (problem !== undefined) {
      this.#add(check, invalidType(plan.node, field, problem));
      this.#budget = -1;
      return undefined;
    }
    this.#budget -= outcome.cost;
    return usableMessage(outcome) ?? standard;
  }

  #add({ rule, match }: Check, error: FieldError): void {
    const { current, parent } = match;
    const unchanged = current ? current.unchanged : (parent?.unchanged ?? false);
    if (!rule.usesOldSelf && unchanged) this.#tolerated(error);
    else this.errors.push(error);
  }

  /** Reports the last error; nothing is evaluated after it. */
  #stop(error: FieldError): void {
    this.errors.push(error);
    this.#budget = -1;
  }
}

interface Check {
  readonly plan: RulePlan;
  readonly rule: CompiledRule;
  readonly path: string;
  readonly field: string;
  readonly value: unknown;
  readonly self: Value;
  readonly oldSelf: Value | undefined;
  readonly match: Match;
}

const outOfBudget = 'validation failed due to running out of cost budget, no further validation rules will be run';
const maxMessageBytes = 5 * 1024;

/** What ends the evaluation while a message is made. */
function messageProblem(outcome: Outcome, budget: number, source: string): string | undefined {
  if (outcome.cost > budget) {
    return 'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run';
  }
  if (!('error' in outcome) || !outcome.cancelled) return undefined;
  return `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${quote(source)}`;
}

function usableMessage(outcome: Outcome): string | undefined {
  if ('error' in outcome || typeof outcome.value !== 'string') return undefined;
  const message = trimSpace(outcome.value);
  if (message === '' || message.includes('\n') || Buffer.byteLength(message) > maxMessageBytes) return undefined;
  return message;
}

function evaluationFailed(error: string, rule: ValidationRule): string {
  if (!error.startsWith('no such overload')) return `${error} evaluating rule: ${ruleText(rule)}`;
  const shown = ruleText(rule);
  return `'${error}': call arguments did not match a supported operator, function or macro signature for rule: ${shown}`;
}

function ruleText({ rule, message }: ValidationRule): string {
  return trimSpace(message ? message : rule);
}

/** Errors about a rule itself name the type of the value in its place. */
function invalidType({ type }: SchemaNode, field: string, detail: string): FieldError {
  return fieldError.invalid(field, type ?? '', detail);
}

function violation({ plan, rule, value }: Check, field: string, detail: string): FieldError {
  const omitted = plan.node.type === 'object' || plan.node.type === 'array';
  switch (rule.rule.reason) {
    case 'FieldValueForbidden':
      return fieldError.forbidden(field, detail);
    case 'FieldValueRequired':
      return fieldError.required(field, detail);
    case 'FieldValueDuplicate':
      return omitted
        ? { field, reason: 'FieldValueDuplicate', message: 'Duplicate value' }
        : fieldError.duplicate(field, value);
    default:
      return omitted
        ? { field, reason: 'FieldValueInvalid', message: `Invalid value: ${detail}` }
        : fieldError.invalid(field, value, detail);
  }
}

function fieldMatch(match: Match, name: string): Match {
  if (!match.current) return match;
  if (!match.parent && (name === 'apiVersion' || name === 'kind')) return { current: undefined, parent: undefined };
  return { current: match.current.field(name), parent: match.current };
}

/** Finds the stored item of a list of type `map` by its keys; other lists have none. */
function oldItems(node: SchemaNode, old: unknown): (item: unknown) => unknown {
  const keys = node['x-kubernetes-list-map-keys'];
  if (node['x-kubernetes-list-type'] !== 'map' || !keys || !Array.isArray(old)) return () => undefined;
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    const key = itemKey(item, keys);
    if (key !== undefined && !byKey.has(key)) byKey.set(key, item);
  }
  return (item) => {
    const key = itemKey(item, keys);
    return key === undefined ? undefined : byKey.get(key);
  };
}

function itemKey(item: unknown, keys: readonly string[]): string | undefined {
  return isObject(item) ? marshalJson(keys.map((key) => own(item, key) ?? null)) : undefined;
}
