import { type Construct, compile } from './eval/compiler.ts';
import { Frame, type Step } from './eval/frame.ts';
import type { Expr } from './syntax/ast.ts';
import { Issues } from './syntax/issues.ts';
import { parse } from './syntax/parser.ts';
import { check } from './types/checker.ts';
import type { Environment } from './types/environment.ts';
import type { CelType } from './types/type.ts';
import { validateLiterals } from './types/validate-literals.ts';
import { CelCancelled, CelError } from './values/errors.ts';
import type { Value } from './values/value.ts';

/** The greatest cost of one evaluation, unless the caller says otherwise. */
export const perCallLimit = 1_000_000;

/** What came of an evaluation: a value or an error, and what it cost. */
export type Outcome =
  | { readonly value: Value; readonly cost: number }
  | { readonly error: string; readonly cost: number; readonly cancelled: boolean };

/** An expression ready to be evaluated, as often as wanted. */
export interface Expression {
  readonly text: string;
  readonly type: CelType;
  readonly ast: Expr;
  /** Whether it reads a variable. */
  uses(variable: string): boolean;
  /**
   * Never throws: errors of the expression, and running out of `limit`, are outcomes.
   * @param variables by name; one that is missing or undefined is an error where it is read
   * @param limit in units of cost; default {@link perCallLimit}
   */
  evaluate(variables: Readonly<Record<string, Value | undefined>>, limit?: number): Outcome;
}

/** What an expression may use beyond its variables. */
export interface ExpressionOptions {
  /** Makes objects of types that the expression may construct. */
  readonly construct?: Construct;
  /** False leaves all types to run time. Default true. */
  readonly checked?: boolean;
}

/** `syntax`: the text or its types are wrong, `message` shows where. `program`: a constant part cannot be worked out. */
export interface CompileError {
  readonly kind: 'syntax' | 'program';
  readonly message: string;
}

/** Parses, checks and compiles. Never throws, whatever the text. */
export function compileExpression(
  text: string,
  environment: Environment,
  options: ExpressionOptions = {},
): { readonly expression: Expression } | { readonly error: CompileError } {
  try {
    return compileText(text, environment, options);
  } catch (error) {
    // A text can be so nested that the stack ends before the parser's own limit.
    if (error instanceof RangeError) return { error: { kind: 'program', message: 'expression is too large' } };
    throw error;
  }
}

function compileText(
  text: string,
  environment: Environment,
  { checked = true, construct }: ExpressionOptions,
): { readonly expression: Expression } | { readonly error: CompileError } {
  const parsed = parse(text, { macros: environment.macros });
  if ('issues' in parsed) return { error: { kind: 'syntax', message: parsed.issues.toString() } };
  const issues = new Issues(text);
  if (checked) {
    check(parsed.expr, environment, issues);
    if (issues.empty) validateLiterals(parsed.expr, environment, issues);
    if (!issues.empty) return { error: { kind: 'syntax', message: issues.toString() } };
  }
  const names = [...environment.variables.keys()];
  const slots = new Map(names.map((name, index) => [name, index]));
  try {
    const { step, slotCount } = compile(parsed.expr, { environment, slots, ...(construct && { construct }) });
    return { expression: makeExpression(text, parsed.expr, { names, step, slotCount }) };
  } catch (error) {
    if (error instanceof CelError) return { error: { kind: 'program', message: error.message } };
    throw error;
  }
}

interface Program {
  readonly names: readonly string[];
  readonly step: Step;
  readonly slotCount: number;
}

function makeExpression(text: string, ast: Expr, { names, step, slotCount }: Program): Expression {
  const used = new Set<string>();
  collectNames(ast, used, new Set());
  return {
    text,
    ast,
    type: ast.type ?? { kind: 'dyn', name: 'dyn', params: [] },
    uses: (variable) => used.has(variable),
    evaluate: (variables, limit = perCallLimit) => {
      const values: (Value | undefined)[] = new Array(slotCount);
      for (let index = 0; index < names.length; index += 1) values[index] = variables[names[index] ?? ''];
      return run(step, new Frame(values, limit));
    },
  };
}

function run(step: Step, frame: Frame): Outcome {
  try {
    return { value: step(frame), cost: frame.cost };
  } catch (error) {
    if (error instanceof CelError) return { error: error.message, cost: frame.cost, cancelled: false };
    if (error instanceof CelCancelled) return { error: error.message, cost: frame.cost, cancelled: true };
    // Texts longer than the machine can hold, or values nested deeper than the stack.
    if (error instanceof RangeError) {
      return { error: new CelCancelled().message, cost: Math.max(frame.cost, frame.limit + 1), cancelled: true };
    }
    throw error;
  }
}

function collectNames(expr: Expr, into: Set<string>, seen: Set<Expr>): void {
  if (seen.has(expr)) return;
  seen.add(expr);
  const visit = (part: Expr) => collectNames(part, into, seen);
  switch (expr.kind) {
    case 'ident':
      into.add(expr.resolved ?? expr.name);
      return;
    case 'select':
      if (expr.resolved !== undefined) into.add(expr.resolved);
      visit(expr.operand);
      return;
    case 'call':
      if (expr.target) visit(expr.target);
      expr.args.forEach(visit);
      return;
    case 'list':
      expr.elements.forEach(visit);
      return;
    case 'map':
      for (const { key, value } of expr.entries) {
        visit(key);
        visit(value);
      }
      return;
    case 'struct':
      for (const { value } of expr.fields) visit(value);
      return;
    case 'comprehension':
      for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) visit(part);
      return;
    default:
  }
}
