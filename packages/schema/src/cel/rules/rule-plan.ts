import type { SchemaNode, ValidationRule } from '../../node.ts';
import { type CompiledRule, compileRules } from './compile-rule.ts';
import { declTypeOf } from './decl-type.ts';
import type { Reader } from './reader.ts';
import { readerOf, rootReaderOf } from './schema-values.ts';

/** A node with rules, or with some below it. */
export interface RulePlan {
  readonly node: SchemaNode;
  readonly rules: readonly (CompiledRule | { readonly error: string })[];
  readonly read: Reader;
  readonly usesOldSelf: boolean;
  readonly properties: ReadonlyMap<string, RulePlan>;
  readonly values: RulePlan | undefined;
  readonly items: RulePlan | undefined;
}

const plans = { root: new WeakMap<SchemaNode, RulePlan | null>(), inner: new WeakMap<SchemaNode, RulePlan | null>() };

/** What of a schema has rules; undefined when nothing does. Compiled once per node. */
export function rulePlanOf(node: SchemaNode, isRoot: boolean): RulePlan | undefined {
  const known = isRoot ? plans.root : plans.inner;
  let plan = known.get(node);
  if (plan === undefined) {
    plan = makePlan(node, isRoot) ?? null;
    known.set(node, plan);
  }
  return plan ?? undefined;
}

function makePlan(node: SchemaNode, isRoot: boolean): RulePlan | undefined {
  if (!declTypeOf(node, isRoot)) return undefined;
  const own = (node['x-kubernetes-validations'] ?? []).filter(isWritten);
  const compiled = own.length === 0 ? [] : compileRules(own, node, { isRoot, stored: true });
  const properties = new Map<string, RulePlan>();
  for (const [name, property] of Object.entries(node.properties ?? {})) {
    const plan = below(property);
    if (plan) properties.set(name, plan);
  }
  const values = typeof node.additionalProperties === 'object' ? node.additionalProperties : undefined;
  const plan: RulePlan = {
    node,
    rules: compiled,
    read: isRoot ? rootReaderOf(node) : readerOf(node),
    usesOldSelf: compiled.some((rule) => 'expression' in rule && rule.usesOldSelf),
    properties,
    values: values && below(values),
    items: node.items && below(node.items),
  };
  const empty = compiled.length + properties.size === 0 && !plan.values && !plan.items;
  return empty ? undefined : plan;
}

function below(node: SchemaNode): RulePlan | undefined {
  return rulePlanOf(node, node['x-kubernetes-embedded-resource'] === true);
}

function isWritten({ rule = '' }: Partial<ValidationRule>): boolean {
  return rule.trim() !== '';
}
