import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SchemaNode } from '../node.ts';
import { compileExpression, evaluateRules, kubernetesEnvironment, validateRules } from './index.ts';
import { formatValue } from './values/describe.ts';

const { written } = kubernetesEnvironment;

/** Compiles and evaluates; answers what came of it, whatever that is. */
function outcomeOf(text: string): string {
  const compiled = compileExpression(text, written);
  if ('error' in compiled) return compiled.error.message;
  const outcome = compiled.expression.evaluate({});
  return 'error' in outcome ? outcome.error : formatValue(outcome.value);
}

const words = fc.constantFrom(
  ...'1 0 -1 2u 1.5 "a" \'é😀\' b"x" true false null x self [ ] { } ( ) . ? : , + - * / % == != < <= && || ! in has all map'.split(
    ' ',
  ),
  ...'exists filter exists_one size dyn type int string duration timestamp matches .all(x, .map(x, [? .? optional.of( .value()'.split(
    ' ',
  ),
  ...'quantity( ip( cidr( url( semver( format.named( sets.contains( lists.range( .sort() .flatten() .join( .split( .format('.split(
    ' ',
  ),
);

describe('hostile texts', () => {
  it('never crash', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words, { maxLength: 30 }).map((list) => list.join(' ')),
        ),
        (text) => {
          expect(typeof outcomeOf(text)).toBe('string');
        },
      ),
      { numRuns: 1_500 },
    );
  });

  it.each([
    ['parentheses', `${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['lists', `${'['.repeat(5_000)}${']'.repeat(5_000)}`],
    ['negations', `${'!'.repeat(90_000)}true`],
    ['sums', `1${'+1'.repeat(40_000)}`],
    ['selections', `a${'.a'.repeat(40_000)}`],
    ['choices', `${'true ? '.repeat(5_000)}1`],
    ['conjunctions', `true${' && true'.repeat(10_000)}`],
    ['macros', `${'[1].map(x, '.repeat(2_000)}1${')'.repeat(2_000)}`],
    ['optional maps', `optional.of(1)${'.optMap(x, x)'.repeat(200)}`],
    ['too long', 'a'.repeat(200_000)],
    ['an open text', `"${'a'.repeat(90_000)}`],
  ])('%s end', (_, text) => {
    expect(typeof outcomeOf(text)).toBe('string');
  });
});

describe('hostile loads', () => {
  it.each([
    'lists.range(100000).map(x, lists.range(100000)).size() > 0',
    'lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, true)))',
    "lists.range(60).map(x, 'aaaaaaaaaaaaaaaaaaaaaaaa').join(',').split('').map(x, 'b').join('').replace('', 'cccccccccccc').size() > 0",
    "lists.range(1000).map(x, lists.range(1000).map(y, 'aaaaaaaaaa').join('')).join('').matches('(a+)+b')",
  ])('stop at the budget: %s', (text) => {
    const compiled = compileExpression(text, written);
    if ('error' in compiled) throw new Error(compiled.error.message);
    const outcome = compiled.expression.evaluate({});
    expect(outcome.cost).toBeLessThan(20_000_000);
  });

  const schema: SchemaNode = {
    type: 'object',
    properties: {
      list: {
        type: 'array',
        items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self >= 0' }] },
        'x-kubernetes-validations': [{ rule: 'self.all(x, self.all(y, x + y >= 0))' }],
      },
    },
  };

  it('one call is cut off', () => {
    const list = Array.from({ length: 100_000 }, () => 1);
    const [error] = evaluateRules(schema, { list });
    expect(error?.message).toContain('call cost exceeds limit');
  });

  it('an object is cut off', () => {
    const errors = evaluateRules(schema, { list: [1, 2, 3] }, { budget: 20 });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain('running out of cost budget');
  });

  it('a definition is refused before', () => {
    expect(validateRules(schema, 'spec').some(({ message }) => message.includes('exceeds budget'))).toBe(true);
  });
});
