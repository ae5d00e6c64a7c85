import type { SchemaNode, ValidationRule } from '../../node.ts';
import { estimateCost, type SizeAt } from '../eval/estimate.ts';
import { type CompileError, compileExpression, type Expression } from '../expression.ts';
import { kubernetesEnvironment } from '../library/kubernetes.ts';
import { type Environment, extendEnvironment } from '../types/environment.ts';
import { optionalOf } from '../types/type.ts';
import { type DeclType, DeclTypes, declTypeOf, maxRequestBytes } from './decl-type.ts';
import { normalizeFieldPath } from './field-path.ts';

/** A rule ready to be evaluated, with what its definition is judged by. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly expression: Expression;
  readonly messageExpression: Expression | undefined;
  /** Why the messageExpression cannot be used; undefined when it can, or when there is none. */
  readonly messageError: string | undefined;
  /** Whether the rule compares with the value stored before. */
  readonly usesOldSelf: boolean;
  /** The most the rule can cost, and its messageExpression. */
  readonly maxCost: number;
  readonly maxMessageCost: number;
  /** The rule's `fieldPath`, relative to the value, as errors write it; empty for the value itself. */
  readonly fieldPath: string;
}

/** Where a rule stands, and what it may use. */
export interface CompileRuleOptions {
  /** Whether the schema is the root of a resource: `apiVersion`, `kind` and `metadata` are known there. Default false. */
  readonly isRoot?: boolean;
  /** Whether the rule has been accepted before; what is being written may use a little less. Default false. */
  readonly stored?: boolean;
}

/** The name of the type of `self` in messages; the server adds digits that change with each start. */
const selfType = 'selfType';

/** Environments of the rules of one node. */
interface RuleEnvironments {
  readonly plain: Environment;
  /** `oldSelf` is an optional. */
  readonly optional: Environment;
  readonly sizeAt: SizeAt;
}

function environmentsOf(decl: DeclType, stored: boolean): RuleEnvironments {
  const declTypes = new DeclTypes();
  const self = declTypes.typeOf(decl, selfType);
  const base = stored ? kubernetesEnvironment.stored : kubernetesEnvironment.written;
  const fieldType = (typeName: string, field: string) => declTypes.fieldType(typeName, field);
  return {
    plain: extendEnvironment(base, { variables: { self, oldSelf: self }, fieldType }),
    optional: extendEnvironment(base, { variables: { self, oldSelf: optionalOf(self) }, fieldType }),
    sizeAt: (path) => sizeAt(decl, path),
  };
}

function sizeAt(root: DeclType, path: readonly string[]) {
  let decl: DeclType | undefined = root;
  for (const name of path.slice(1)) {
    if (name === '@items' || name === '@values') decl = decl.element;
    else if (name === '@keys') return decl.kind === 'map' ? { min: 0, max: 0 } : undefined;
    else decl = decl.fields.get(name);
    if (!decl) return undefined;
  }
  return { min: 0, max: decl.maxElements };
}

/**
 * Compiles one rule of a schema node.
 * @returns the rule, or the text after `Invalid value: …` that a definition with it is refused with
 */
export function compileRule(
  rule: ValidationRule,
  schema: SchemaNode,
  options: CompileRuleOptions = {},
): CompiledRule | { readonly error: string } {
  const [compiled] = compileRules([rule], schema, options);
  return compiled ?? { error: 'unable to convert structural schema to CEL declarations' };
}

/** As {@link compileRule}, for all rules of a node; empty when its values have no type. */
export function compileRules(
  rules: readonly ValidationRule[],
  schema: SchemaNode,
  { isRoot = false, stored = false }: CompileRuleOptions = {},
): (CompiledRule | { readonly error: string })[] {
  const decl = declTypeOf(schema, isRoot);
  if (!decl) return [];
  const environments = environmentsOf(decl, stored);
  return rules.map((rule) => compileOne(rule, schema, environments));
}

function describe({ kind, message }: CompileError, prefix: string): string {
  return kind === 'syntax' ? `${prefix}compilation failed: ${message}` : `${prefix}${instantiation(prefix)}${message}`;
}

function instantiation(prefix: string): string {
  return prefix === '' ? 'program instantiation failed: ' : 'instantiation failed: ';
}

function compileOne(
  rule: ValidationRule,
  schema: SchemaNode,
  { plain, optional, sizeAt: sizes }: RuleEnvironments,
): CompiledRule | { readonly error: string } {
  const environment = rule.optionalOldSelf ? optional : plain;
  const main = compileExpression(rule.rule, environment);
  if ('error' in main) return { error: describe(main.error, '') };
  const { expression } = main;
  if (expression.type.kind !== 'bool') return { error: 'cel expression must evaluate to a bool' };
  const message = compileMessage(rule, environment, sizes);
  return {
    rule,
    expression,
    ...message,
    usesOldSelf: expression.uses('oldSelf'),
    maxCost: estimateCost(expression.ast, sizes).max,
    fieldPath: rule.fieldPath ? (normalizeFieldPath(rule.fieldPath, schema) ?? '') : '',
  };
}

type Message = Pick<CompiledRule, 'messageExpression' | 'messageError' | 'maxMessageCost'>;

function compileMessage({ messageExpression }: ValidationRule, environment: Environment, sizes: SizeAt): Message {
  const none = { messageExpression: undefined, messageError: undefined, maxMessageCost: 0 };
  if (!messageExpression) return none;
  const compiled = compileExpression(messageExpression, environment);
  if ('error' in compiled) return { ...none, messageError: describe(compiled.error, 'messageExpression ') };
  const { expression } = compiled;
  if (expression.type.kind !== 'string') {
    return { ...none, messageError: 'messageExpression must evaluate to a string' };
  }
  return { ...none, messageExpression: expression, maxMessageCost: estimateCost(expression.ast, sizes).max };
}

/** How often values of a node can stand in one request when nothing above bounds it. */
export function maxCardinality(schema: SchemaNode, isRoot: boolean): number {
  const decl = declTypeOf(schema, isRoot);
  return decl ? Math.trunc(maxRequestBytes / (decl.minSize + 1)) : 1;
}
