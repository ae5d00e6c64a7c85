import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileExpression, createEnvironment, type Value } from './index.ts';
import { standardLibrary } from './library/standard.ts';
import { types } from './types/type.ts';

/** A small language with an obvious meaning, to compare the compiled form with. */
type Tree =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'variable'; readonly name: 'a' | 'b' }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'not'; readonly operand: Tree }
  | { readonly kind: 'choice'; readonly condition: Tree; readonly yes: Tree; readonly no: Tree }
  | {
      readonly kind: 'all' | 'exists';
      readonly items: readonly number[];
      readonly operator: string;
      readonly right: Tree;
    };

const { number, truth } = fc.letrec<{ number: Tree; truth: Tree }>((tie) => ({
  number: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: -3, max: 3 }).map((value): Tree => ({ kind: 'int', value })),
    fc.constantFrom('a' as const, 'b' as const).map((name): Tree => ({ kind: 'variable', name })),
    binary(fc.constantFrom('+', '-', '*', '/', '%'), tie('number'), tie('number')),
    choice(tie('truth'), tie('number'), tie('number')),
  ),
  truth: fc.oneof(
    { depthSize: 'small' },
    fc.boolean().map((value): Tree => ({ kind: 'bool', value })),
    binary(fc.constantFrom('<', '<=', '==', '!=', '>'), tie('number'), tie('number')),
    binary(fc.constantFrom('&&', '||'), tie('truth'), tie('truth')),
    tie('truth').map((operand): Tree => ({ kind: 'not', operand })),
    choice(tie('truth'), tie('truth'), tie('truth')),
    fc
      .tuple(
        fc.constantFrom('all' as const, 'exists' as const),
        fc.array(fc.integer({ min: -2, max: 2 })),
        tie('number'),
      )
      .map(([kind, items, right]): Tree => ({ kind, items, operator: '<', right })),
  ),
}));

function binary(
  operator: fc.Arbitrary<string>,
  left: fc.Arbitrary<Tree>,
  right: fc.Arbitrary<Tree>,
): fc.Arbitrary<Tree> {
  return fc.record({ kind: fc.constant('binary' as const), operator, left, right });
}

function choice(condition: fc.Arbitrary<Tree>, yes: fc.Arbitrary<Tree>, no: fc.Arbitrary<Tree>): fc.Arbitrary<Tree> {
  return fc.record({ kind: fc.constant('choice' as const), condition, yes, no });
}

function print(tree: Tree): string {
  switch (tree.kind) {
    case 'int':
    case 'bool':
      return `(${tree.value})`;
    case 'variable':
      return tree.name;
    case 'binary':
      return `(${print(tree.left)} ${tree.operator} ${print(tree.right)})`;
    case 'not':
      return `!(${print(tree.operand)})`;
    case 'choice':
      return `(${print(tree.condition)} ? ${print(tree.yes)} : ${print(tree.no)})`;
    default:
      return `[${tree.items}].${tree.kind}(x, (10 / x) ${tree.operator} ${print(tree.right)})`;
  }
}

type Variables = { readonly a: number; readonly b: number };
type Result = number | boolean | 'error';

const absorb = (decisive: boolean, results: readonly Result[]): Result => {
  if (results.includes(decisive)) return decisive;
  return results.includes('error') ? 'error' : !decisive;
};

function divide(x: number, y: number): Result {
  return y === 0 ? 'error' : Math.trunc(x / y) + 0;
}

function strict(operator: string, x: Result, y: Result): Result {
  if (x === 'error' || y === 'error') return 'error';
  const [a, b] = [Number(x), Number(y)];
  const table: Readonly<Record<string, () => Result>> = {
    '+': () => a + b,
    '-': () => a - b,
    '*': () => a * b + 0,
    '/': () => divide(a, b),
    '%': () => (b === 0 ? 'error' : (a % b) + 0),
    '<': () => a < b,
    '<=': () => a <= b,
    '>': () => a > b,
    '==': () => a === b,
    '!=': () => a !== b,
  };
  return table[operator]?.() ?? 'error';
}

function interpret(tree: Tree, variables: Variables): Result {
  switch (tree.kind) {
    case 'int':
    case 'bool':
      return tree.value;
    case 'variable':
      return variables[tree.name];
    case 'not': {
      const value = interpret(tree.operand, variables);
      return value === 'error' ? value : !value;
    }
    case 'choice': {
      const condition = interpret(tree.condition, variables);
      return condition === 'error' ? condition : interpret(condition ? tree.yes : tree.no, variables);
    }
    case 'binary': {
      const sides = [interpret(tree.left, variables), interpret(tree.right, variables)] as const;
      if (tree.operator === '&&') return absorb(false, sides);
      return tree.operator === '||' ? absorb(true, sides) : strict(tree.operator, ...sides);
    }
    default: {
      const right = interpret(tree.right, variables);
      const results = tree.items.map((item) => strict(tree.operator, divide(10, item), right));
      return absorb(tree.kind === 'exists', results);
    }
  }
}

const environment = createEnvironment([standardLibrary], { variables: { a: types.int, b: types.int } });
const small = fc.integer({ min: -3, max: 3 });

it('evaluates as a plain interpreter does', () => {
  fc.assert(
    fc.property(fc.oneof(number, truth), small, small, (tree, a, b) => {
      const compiled = compileExpression(print(tree), environment);
      if ('error' in compiled) throw new Error(compiled.error.message);
      const outcome = compiled.expression.evaluate({ a, b });
      const value: Value | 'error' = 'error' in outcome ? 'error' : outcome.value;
      expect(value).toBe(interpret(tree, { a, b }));
    }),
    { numRuns: 1_000 },
  );
});

it('gives the same with and without types', () => {
  fc.assert(
    fc.property(truth, small, small, (tree, a, b) => {
      const [typed, untyped] = [true, false].map((checked) => {
        const compiled = compileExpression(print(tree), environment, { checked });
        if ('error' in compiled) throw new Error(compiled.error.message);
        const outcome = compiled.expression.evaluate({ a, b });
        return 'error' in outcome ? outcome.error : outcome.value;
      });
      expect(untyped).toEqual(typed);
    }),
    { numRuns: 300 },
  );
});
