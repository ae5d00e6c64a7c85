import {
  type CelType,
  type CompileError,
  compileExpression,
  constructMutation,
  type Environment,
  type Expression,
  sameType,
} from '@coxswain/schema/cel';

const compiled = new WeakMap<Environment, Map<string, Expression | CompileError>>();
const mostCompiled = 1_000;

/** The expression, or why it is none. Compiled once for each environment. */
export function compile(text: string, environment: Environment): Expression | CompileError {
  let cache = compiled.get(environment);
  if (!cache) {
    cache = new Map();
    compiled.set(environment, cache);
  }
  let known = cache.get(text);
  if (known === undefined) {
    const result = compileExpression(text, environment, { construct: constructMutation });
    known = 'expression' in result ? result.expression : result.error;
    if (cache.size >= mostCompiled) cache.clear();
    cache.set(text, known);
  }
  return known;
}

/** A type as the demand for another one names it. */
function shown({ name, params }: CelType): string {
  return params.length === 0 ? name : `${name}(${params.map(shown).join(', ')})`;
}

/** Why an expression cannot be used. */
export interface Unusable {
  /** `invalid`: the text is to blame; `internal`: a constant part cannot be worked out. */
  readonly kind: 'invalid' | 'internal';
  readonly detail: string;
}

/** Why an expression cannot be used where one of `wanted` is asked for; `undefined` when it can. Without `wanted` any type is fine. */
export function unusable(text: string, environment: Environment, wanted?: readonly CelType[]): Unusable | undefined {
  const found = compile(text, environment);
  if ('kind' in found) {
    return found.kind === 'syntax'
      ? { kind: 'invalid', detail: `compilation failed: ${found.message}` }
      : { kind: 'internal', detail: `program instantiation failed: ${found.message}` };
  }
  if (!wanted || wanted.some((type) => sameType(type, found.type))) return undefined;
  const given = shown(found.type);
  const [only] = wanted;
  const demand =
    only && wanted.length === 1
      ? `must evaluate to ${shown(only)} but got ${given}`
      : `must evaluate to one of [${wanted.map(shown).join(' ')}] but got ${given}`;
  return { kind: 'invalid', detail: demand };
}
