import type { Props } from '../builder/infer.ts';
import { checkedPattern } from '../builder/pattern-text.ts';
import { ruleOnOneLine } from '../builder/rule-text.ts';
import { s } from '../builder/s.ts';
import { escapeName } from '../cel/rules/escape.ts';
import { sameJson } from '../json.ts';
import type { ValidationRule } from '../node.ts';
import { type Call, literal } from './code.ts';

/** The calls that put CEL rules on a builder; undefined when they cannot be said one by one. */
export function ruleCalls(rules: readonly ValidationRule[], fields: readonly string[]): readonly Call[] | undefined {
  if (rules.length === 0 || rules.some(({ rule }) => ruleOnOneLine(rule) !== rule)) return undefined;
  return rules.map((rule) => immutableCall(rule) ?? fieldsCall(rule, fields) ?? ruleCall(rule));
}

function ruleCall({ rule, ...options }: ValidationRule): Call {
  const { message, ...others } = options;
  const args = [literal(rule)];
  if (message !== undefined && Object.keys(others).length === 0) args.push(literal(message));
  else if (Object.keys(options).length > 0) args.push(literal({ ...options }));
  return { name: 'rule', args };
}

function immutableCall({ rule, message, ...others }: ValidationRule): Call | undefined {
  if (rule !== 'self == oldSelf' || message === undefined || Object.keys(others).length > 0) return undefined;
  return { name: 'immutable', args: message === 'field is immutable' ? [] : [literal(message)] };
}

const ofFields = /^(?:(exactly|at most|at least) one of the fields in \[(.*)\] m|field (.*) is immutable once set$)/;
const counting = { exactly: 'exactlyOneOf', 'at most': 'atMostOneOf', 'at least': 'atLeastOneOf' } as const;

/** Words about several fields have rules that can be told by their messages; the builder itself says whether it is so. */
function fieldsCall(rule: ValidationRule, fields: readonly string[]): Call | undefined {
  const [, howMany, list, once] = ofFields.exec(rule.message ?? '') ?? [];
  const names = once === undefined ? (list?.split(' ') ?? []) : [once];
  if (!names.every((name) => fields.includes(name))) return undefined;
  const name = once === undefined ? counting[howMany as keyof typeof counting] : 'keepsOnceSet';
  return sameJson(builtRules(name, names), [rule]) ? { name, args: names.map((field) => literal(field)) } : undefined;
}

type FieldsWord = 'keepsOnceSet' | (typeof counting)[keyof typeof counting];

function builtRules(name: FieldsWord | undefined, [first, second, ...others]: readonly string[]) {
  const object = s.object<Props>({});
  if (first === undefined || escapeName(first) === undefined) return undefined;
  if (name === 'keepsOnceSet') return object.keepsOnceSet(first).node['x-kubernetes-validations'];
  if (!name || second === undefined || [second, ...others].some((field) => escapeName(field) === undefined)) {
    return undefined;
  }
  return object[name](first, second, ...others).node['x-kubernetes-validations'];
}

/** Whether the builder takes the pattern: RE2 reads it. */
export function isTakenPattern(pattern: string): boolean {
  try {
    return checkedPattern(pattern) === pattern;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}
