import { describe, expect, it } from 'vitest';
import answers from './fixtures/server-answers.json' with { type: 'json' };
import { compileSchema, type FieldError, type SchemaNode, validateStructural } from './index.ts';

/**
 * Answers of the API server's own validation code (`apiextensions-apiserver` 0.37.2), recorded.
 * It walks maps in random order and some errors twice, so errors are compared as sets.
 */
interface Case {
  readonly name: string;
  readonly op: string;
  readonly schema: unknown;
  readonly value?: unknown;
  readonly old?: unknown;
  readonly answer: readonly FieldError[];
}

const cases = answers as unknown as readonly Case[];

describe.each(['validate', 'structural'])('%s', (op) => {
  it.each(cases.filter((one) => one.op === op).map((one) => [one.name, one] as const))('%s', (_, one) => {
    const schema = one.schema as SchemaNode;
    const errors =
      op === 'structural' ? validateStructural(schema) : compileSchema(schema).validate(one.value, { old: one.old });
    expect(asSet(errors)).toEqual(asSet(one.answer));
  });
});

function asSet(errors: readonly FieldError[]): readonly string[] {
  return [...new Set(errors.map(({ field, reason, message }) => `${field}: ${message} (${reason})`))].sort();
}
