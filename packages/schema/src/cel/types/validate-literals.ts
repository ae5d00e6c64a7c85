import { clauseComplaints } from '../library/format-text.ts';
import { patternError } from '../library/regex.ts';
import type { CallExpr, Expr } from '../syntax/ast.ts';
import type { Issues } from '../syntax/issues.ts';
import { CelError } from '../values/errors.ts';
import type { Environment } from './environment.ts';
import { type CelType, formatType, sameType, types, unwrapOptional } from './type.ts';

/** Finds constant arguments that can only fail: durations, moments, patterns, formats, and mixed literals. */
export function validateLiterals(expr: Expr, environment: Environment, issues: Issues): void {
  if (environment.homogeneous) new LiteralValidator(environment, issues).visit(expr, false);
}

class LiteralValidator {
  readonly #environment: Environment;
  readonly #issues: Issues;
  readonly #seen = new Set<Expr>();

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment;
    this.#issues = issues;
  }

  /** @param mixed whether literals may mix types, as in the arguments of `format` */
  visit(expr: Expr, mixed: boolean): void {
    if (this.#seen.has(expr)) return;
    this.#seen.add(expr);
    switch (expr.kind) {
      case 'select':
        this.visit(expr.operand, mixed);
        return;
      case 'call':
        this.#call(expr, mixed || expr.name === 'format');
        return;
      case 'list':
        if (!mixed) {
          this.#sameTypes(expr.elements.map((element, index) => ({ element, optional: expr.optional.has(index) })));
        }
        for (const element of expr.elements) this.visit(element, mixed);
        return;
      case 'map':
        if (!mixed) {
          this.#sameTypes(expr.entries.map(({ key }) => ({ element: key, optional: false })));
          this.#sameTypes(expr.entries.map(({ value, optional }) => ({ element: value, optional })));
        }
        for (const { key, value } of expr.entries) {
          this.visit(key, mixed);
          this.visit(value, mixed);
        }
        return;
      case 'comprehension':
        for (const part of [expr.range, expr.init, expr.condition, expr.step, expr.result]) this.visit(part, mixed);
        return;
      default:
    }
  }

  #sameTypes(parts: readonly { readonly element: Expr; readonly optional: boolean }[]): void {
    let first: CelType | undefined;
    for (const { element, optional } of parts) {
      const own = element.type ?? types.dyn;
      const type = optional ? unwrapOptional(own) : own;
      first ??= type;
      if (equivalent(first, type)) continue;
      this.#issues.report(element.offset, `expected type '${formatType(first)}' but found '${formatType(type)}'`);
      return;
    }
  }

  #call(expr: CallExpr, mixed: boolean): void {
    const [arg] = expr.args;
    if (arg?.kind === 'const' && this.#isBad(expr.name, arg.value)) {
      this.#issues.report(arg.offset, `invalid ${expr.name} argument`);
    }
    if (expr.name === 'format' && expr.target?.kind === 'const' && arg?.kind === 'list') {
      this.#format(expr, String(expr.target.value), arg.elements);
    }
    if (expr.target) this.visit(expr.target, mixed);
    for (const part of expr.args) this.visit(part, mixed);
  }

  #isBad(name: string, value: unknown): boolean {
    if (name === 'matches') return typeof value === 'string' && patternError(value) !== undefined;
    if (name !== 'duration' && name !== 'timestamp') return false;
    const type = typeof value === 'string' ? 'string' : typeof value === 'object' ? undefined : 'int';
    const found = this.#environment.functions.get(name)?.find(({ args }) => args[0]?.kind === type);
    try {
      found?.invoke(value as string, null, null, null);
      return false;
    } catch (error) {
      if (error instanceof CelError) return true;
      throw error;
    }
  }

  /** Clauses of a constant format against the types of its arguments. */
  #format(expr: CallExpr, template: string, args: readonly Expr[]): void {
    let used = 0;
    for (const [whole, verb = ''] of template.matchAll(/%(?:%|(?:\.\d+)?([a-zA-Z]?))/g)) {
      if (whole === '%%') continue;
      const arg = args[used];
      const problem = verb === '' ? 'unexpected end of string' : this.#clause(verb, arg, used);
      if (problem !== undefined) {
        this.#issues.report(problem.startsWith('error') ? (arg?.offset ?? expr.offset) : expr.offset, problem);
        return;
      }
      used += 1;
    }
    if (args.length > used) {
      const counts = `(expected ${used}, got ${args.length})`;
      this.#issues.report(expr.offset, `too many arguments supplied to string.format ${counts}`);
    }
  }

  #clause(verb: string, arg: Expr | undefined, index: number): string | undefined {
    if (!arg) return `index ${index} out of range`;
    const wanted = Object.hasOwn(clauseTypes, verb) ? clauseTypes[verb] : undefined;
    if (!wanted) return `could not parse formatting clause: unrecognized formatting clause "${verb}"`;
    const { kind, name } = arg.type ?? types.dyn;
    if (kind === 'dyn' || wanted.has(kind)) return undefined;
    return `error during formatting: ${clauseComplaints[verb]}, was given ${name}`;
  }
}

const texts = 'list map int uint double bool string timestamp bytes duration type null';

const clauseTypes: Readonly<Record<string, ReadonlySet<string>>> = {
  s: new Set(texts.split(' ')),
  d: new Set(['int', 'uint']),
  f: new Set(['double', 'string']),
  e: new Set(['double', 'string']),
  b: new Set(['int', 'uint', 'bool']),
  x: new Set(['int', 'uint', 'string', 'bytes']),
  X: new Set(['int', 'uint', 'string', 'bytes']),
  o: new Set(['int', 'uint']),
};

function equivalent(a: CelType, b: CelType): boolean {
  if (a.kind === 'param' || b.kind === 'param') return true;
  return (
    sameType(a, b) ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => equivalent(param, b.params[index] ?? types.dyn)))
  );
}
