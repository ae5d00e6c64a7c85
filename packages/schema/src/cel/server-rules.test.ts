import { describe, expect, it } from 'vitest';
import type { FieldError, SchemaNode } from '../node.ts';
import { compileExpression } from './expression.ts';
import costs from './fixtures/costs.json' with { type: 'json' };
import expressions from './fixtures/expressions.json' with { type: 'json' };
import functions from './fixtures/functions.json' with { type: 'json' };
import rules from './fixtures/rules.json' with { type: 'json' };
import { kubernetesEnvironment } from './library/kubernetes.ts';
import { compileRule } from './rules/compile-rule.ts';
import { evaluateRules } from './rules/evaluate-rules.ts';
import { rootReaderOf } from './rules/schema-values.ts';
import { validateRules } from './rules/validate-rules.ts';
import { formatValue } from './values/describe.ts';

/**
 * Answers of the API server's own validation code (`apiextensions-apiserver` 0.37.2), recorded. It walks maps in random
 * order, so errors are compared as sets.
 */
interface RuleCase {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly object?: unknown;
  readonly old?: unknown;
  readonly definition: readonly string[];
  readonly errors?: readonly string[];
  readonly warnings?: number;
}

const cases = rules.cases as unknown as readonly RuleCase[];
const show = ({ reason, field, message }: FieldError) => `${reason}|${field}|${message}`;

describe('a definition with rules is refused as the API server refuses it', () => {
  it.each(cases.map((one) => [one.name, one] as const))('%s', (_, { schema, definition }) => {
    const errors = validateRules(schema, 'spec.validation.openAPIV3Schema').map(show);
    expect(errors.sort()).toEqual([...definition].sort());
  });
});

describe('an object is refused as the API server refuses it', () => {
  const evaluated = cases.filter((one) => one.object !== undefined);
  it.each(evaluated.map((one) => [one.name, one] as const))('%s', (_, { schema, object, old, errors, warnings }) => {
    const tolerated: FieldError[] = [];
    const found = evaluateRules(schema, object, { old, onTolerated: (error) => tolerated.push(error) });
    expect(found.map(show).sort()).toEqual([...(errors ?? [])].sort());
    expect(tolerated).toHaveLength(warnings ?? 0);
  });
});

describe('a rule costs what it costs on the API server', () => {
  const { properties, object } = costs as unknown as { properties: SchemaNode['properties']; object: unknown };
  const schema: SchemaNode = { type: 'object', properties };
  it.each(costs.cases.map((one) => [one.rule, one] as const))('%s', (_, { rule, spent, estimate }) => {
    const compiled = compileRule({ rule }, schema, { isRoot: true });
    if ('error' in compiled) throw new Error(compiled.error);
    expect(compiled.maxCost).toBe(estimate);
    expect(compiled.expression.evaluate({ self: rootReaderOf(schema)(object) }).cost).toBe(spent);
  });
});

interface ExpressionCase {
  readonly text: string;
  readonly compile?: string;
  readonly error?: string;
  readonly value?: string;
  readonly cost?: number;
}

describe('an expression gives what it gives on the API server', () => {
  const texts = [...expressions.cases, ...functions.cases] as readonly ExpressionCase[];
  it.each(texts.map((one) => [one.text, one] as const))('%s', (_, { text, compile, error, value, cost }) => {
    const compiled = compileExpression(text, kubernetesEnvironment.written);
    if ('error' in compiled) {
      const { kind, message } = compiled.error;
      if (kind === 'syntax') expect(message).toBe(compile);
      else expect(`program: ${message}`).toBe(error);
      return;
    }
    const outcome = compiled.expression.evaluate({});
    expect('error' in outcome ? outcome.error : undefined).toBe(error);
    if (value !== undefined) expect('value' in outcome && formatValue(outcome.value)).toBe(value);
    expect(outcome.cost).toBe(cost);
    expect(compile).toBeUndefined();
  });
});
