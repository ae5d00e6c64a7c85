import { conversionNames } from '../library/conversions.ts';
import { matches, patternError } from '../library/regex.ts';
import { type CallExpr, operators } from '../syntax/ast.ts';
import type { Environment } from '../types/environment.ts';
import type { Invoke, Overload } from '../types/overload.ts';
import type { CelType } from '../types/type.ts';
import { compare, equal } from '../values/compare.ts';
import { hasType } from '../values/describe.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { Optional, type Value } from '../values/value.ts';
import { type CallCost, callCost, equalityCost, isPlain } from './call-cost.ts';
import { constant, type Plan, plain } from './compiler.ts';
import { membership } from './comprehension.ts';
import { Frame, type Step } from './frame.ts';

export interface CallPlan {
  readonly expr: CallExpr;
  readonly environment: Environment;
  /** The target, if any, and the arguments. */
  readonly args: readonly Plan[];
  readonly types: readonly (CelType | undefined)[];
}

const nothing: Step = () => null;

/** Compiles a call of a function or a strict operator. */
export function planCall(call: CallPlan, overloads: () => readonly Overload[]): Plan {
  const { expr, args } = call;
  const [a, b] = args;
  if (a && b && expr.name === operators.equals) return plain(equality(a.run, b.run, true));
  if (a && b && expr.name === operators.notEquals) return plain(equality(a.run, b.run, false));
  const special = a && b ? specialCall(call, a, b) : undefined;
  if (special) return special;
  const found = candidates(call, overloads());
  const only = found.length === 1 ? found[0] : undefined;
  const cost = callCost(expr.name, only?.id);
  const step = charged(cost, args, dispatch(call, found));
  if (!conversionNames.has(expr.name) || args.length !== 1 || !a?.constant) return plain(step);
  return constant(step(new Frame([], Number.POSITIVE_INFINITY)));
}

/** The calls that have a way of their own: chained optionals, constant sets and patterns, order of integers. */
function specialCall({ expr, types }: CallPlan, a: Plan, b: Plan): Plan | undefined {
  switch (expr.name) {
    case 'or':
    case 'orValue':
      return expr.target ? plain(alternative(a.run, b.run, expr.name === 'orValue')) : undefined;
    case operators.in:
      return constantMembership(a, b, expr.overloads);
    case 'matches':
      return constantPattern(a.run, b);
    case 'find':
    case 'findAll':
      if (typeof b.constant?.value === 'string') requirePattern(b.constant.value);
      return undefined;
    default:
      return types[0]?.kind === 'int' && types[1]?.kind === 'int' ? integerOrder(expr.name, a.run, b.run) : undefined;
  }
}

function requirePattern(source: string): void {
  const error = patternError(source);
  if (error !== undefined) throw new CelError(error);
}

function constantPattern(subject: Step, pattern: Plan): Plan | undefined {
  const source = pattern.constant?.value;
  if (typeof source !== 'string') return undefined;
  requirePattern(source);
  const cost = callCost('matches', 'matches');
  return plain((frame) => {
    const text = subject(frame);
    if (typeof text !== 'string') throw noSuchOverload();
    if (typeof cost === 'object' && cost.by === 'arguments') frame.charge(cost.cost(text, source, null));
    return matches(text, source);
  });
}

function constantMembership(item: Plan, list: Plan, overloads: readonly string[] | undefined): Plan | undefined {
  const value = list.constant?.value;
  if (!(value instanceof CelList) || overloads?.length !== 1) return undefined;
  if (value.size === 0) return constant(false);
  const items = [...value];
  if (!items.every(isPlain)) return undefined;
  const has = membership(items);
  return plain((frame) => has(item.run(frame)));
}

function equality(a: Step, b: Step, wanted: boolean): Step {
  return (frame) => {
    let left: Value;
    let right: Value;
    try {
      left = a(frame);
    } catch (error) {
      return settle(frame, [b], 1, error);
    }
    try {
      right = b(frame);
    } catch (error) {
      return settle(frame, [], 1, error);
    }
    if (typeof left === 'number' && typeof right === 'number') {
      frame.charge(1);
      return (left === right) === wanted;
    }
    frame.charge(equalityCost(left, right));
    return equal(left, right) === wanted;
  };
}

const integerOrders: Readonly<Record<string, (order: number) => boolean>> = {
  '_<_': (order) => order < 0,
  '_<=_': (order) => order <= 0,
  '_>_': (order) => order > 0,
  '_>=_': (order) => order >= 0,
};

function integerOrder(name: string, a: Step, b: Step): Plan | undefined {
  const holds = integerOrders[name];
  if (!holds) return undefined;
  return plain((frame) => {
    let left: Value;
    let right: Value;
    try {
      left = a(frame);
    } catch (error) {
      return settle(frame, [b], 1, error);
    }
    try {
      right = b(frame);
    } catch (error) {
      return settle(frame, [], 1, error);
    }
    frame.charge(1);
    return holds(typeof left === 'number' && typeof right === 'number' ? left - right : compare(left, right));
  });
}

function alternative(first: Step, second: Step, unwrap: boolean): Step {
  return (frame) => {
    const value = first(frame);
    if (!(value instanceof Optional)) throw noSuchOverload();
    if (value.value === undefined) return second(frame);
    return unwrap ? value.value : value;
  };
}

/** The overloads the checker left, or all that have the right shape. */
function candidates({ expr, args }: CallPlan, all: readonly Overload[]): readonly Overload[] {
  const ids = expr.overloads;
  const fitting = all.filter(
    ({ member, args: wanted }) => member === (expr.target !== undefined) && wanted.length === args.length,
  );
  return ids ? fitting.filter(({ id }) => ids.includes(id)) : fitting;
}

/** Chooses the overload: at once when the types are known, else by the values. */
function dispatch({ expr, types }: CallPlan, overloads: readonly Overload[]): Invoke {
  const [first] = overloads;
  if (!first) {
    return () => {
      throw new CelError(`no such overload: ${expr.name}`);
    };
  }
  const known = types.every((type) => type !== undefined && type.kind !== 'dyn');
  if (overloads.length === 1 && known) return first.invoke;
  return (a, b, c, d) => {
    for (const { args, invoke } of overloads) {
      if (args.every((type, index) => hasType([a, b, c, d][index] ?? null, type))) return invoke(a, b, c, d);
    }
    throw noSuchOverload();
  };
}

function charged(cost: CallCost, args: readonly Plan[], invoke: Invoke): Step {
  const steps = args.map(({ run }) => run);
  const [a = nothing, b = nothing, c = nothing, d = nothing] = steps;
  return (frame) => {
    let x: Value = null;
    let y: Value = null;
    let z: Value = null;
    let w: Value = null;
    let done = 0;
    try {
      x = a(frame);
      done = 1;
      y = b(frame);
      done = 2;
      z = c(frame);
      done = 3;
      w = d(frame);
    } catch (error) {
      return settle(frame, steps.slice(done + 1), cost, error, [x, y, z].slice(0, done));
    }
    if (typeof cost === 'number') frame.charge(cost);
    else if (cost.by === 'arguments') frame.charge(cost.cost(x, y, z));
    else return chargedResult(frame, cost.cost, () => invoke(x, y, z, w));
    return invoke(x, y, z, w);
  };
}

/** After one argument failed, the others are still worked out, and the call is charged; a failure is of size 1. */
function settle(
  frame: Frame,
  rest: readonly Step[],
  cost: CallCost,
  failure: unknown,
  done: readonly Value[] = [],
): never {
  if (!(failure instanceof CelError)) throw failure;
  const values: Value[] = [...done, null];
  for (const step of rest) {
    try {
      values.push(step(frame));
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      values.push(null);
    }
  }
  const [x = null, y = null, z = null] = values;
  if (typeof cost === 'number') frame.charge(cost);
  else frame.charge(cost.by === 'arguments' ? cost.cost(x, y, z) : cost.cost(null));
  throw failure;
}

function chargedResult(frame: Frame, cost: (result: Value) => number, work: () => Value): Value {
  try {
    const result = work();
    frame.charge(cost(result));
    return result;
  } catch (error) {
    if (error instanceof CelError) frame.charge(cost(null));
    throw error;
  }
}
