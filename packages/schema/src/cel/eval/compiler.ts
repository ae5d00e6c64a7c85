import {
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  type IdentExpr,
  type ListExpr,
  type MapExpr,
  operators,
  type SelectExpr,
  type StructExpr,
} from '../syntax/ast.ts';
import { candidateNames, type Environment } from '../types/environment.ts';
import { CelError } from '../values/errors.ts';
import { ArrayList } from '../values/list.ts';
import { EntryMap, type MapKey } from '../values/map.ts';
import { Optional, TypeValue, type Value } from '../values/value.ts';
import { findOptional, getThrough, hasField } from './access.ts';
import { type CallPlan, planCall } from './calls.ts';
import {
  collectEntries,
  collectList,
  collectMap,
  existsOne,
  type LoopSlots,
  quantify,
  setEntry,
} from './comprehension.ts';
import type { Frame, Step } from './frame.ts';
import { conditional, logical } from './logic.ts';

/** Makes an object of a type that texts can construct, from its fields. */
export type Construct = (typeName: string, fields: ReadonlyMap<string, Value>) => Value;

export interface CompileOptions {
  readonly environment: Environment;
  /** Slots of the variables, by name. */
  readonly slots: ReadonlyMap<string, number>;
  readonly construct?: Construct;
}

/**
 * A compiled part. The parts that read something (names, fields, indexes, `?:`) are charged one unit for the reading
 * as a whole and one for each step into it; `bare` leaves the first out, as when a branch or an index is such a part.
 */
export interface Plan {
  readonly run: Step;
  readonly bare: Step;
  /** `reading` adds its unit where the chain ends; `choice` (a chain that starts with `?:`) never does. */
  readonly chain?: 'reading' | 'choice';
  /** Set when the value is known already; then it costs nothing. */
  readonly constant?: { readonly value: Value };
}

/** Turns a checked (or merely parsed) expression into a function. @throws {CelError} when a constant part cannot be worked out */
export function compile(expr: Expr, options: CompileOptions): { readonly step: Step; readonly slotCount: number } {
  const compiler = new Compiler(options);
  const { run } = compiler.plan(expr);
  return { step: run, slotCount: compiler.slotCount };
}

export function plain(run: Step): Plan {
  return { run, bare: run };
}

export function constant(value: Value): Plan {
  const run = () => value;
  return { run, bare: run, constant: { value } };
}

function attribute(bare: Step): Plan {
  const run: Step = (frame) => {
    frame.charge(1);
    return bare(frame);
  };
  return { run, bare, chain: 'reading' };
}

class Compiler {
  readonly #options: CompileOptions;
  readonly #plans = new Map<Expr, Plan>();
  #locals: readonly (readonly [name: string, slot: number])[] = [];
  slotCount: number;

  constructor(options: CompileOptions) {
    this.#options = options;
    this.slotCount = options.slots.size;
  }

  plan(expr: Expr): Plan {
    let plan = this.#plans.get(expr);
    if (!plan) {
      plan = this.#make(expr);
      this.#plans.set(expr, plan);
    }
    return plan;
  }

  #make(expr: Expr): Plan {
    switch (expr.kind) {
      case 'const':
        return constant(expr.value);
      case 'ident':
        return this.#ident(expr);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      default:
        return this.#comprehension(expr);
    }
  }

  #ident(expr: IdentExpr): Plan {
    const local = this.#locals.find(([name]) => name === expr.name);
    if (local) return this.#slot(local[1], expr.name);
    if (expr.constant !== undefined) return constant(expr.constant);
    return this.#global(expr.resolved ?? expr.name) ?? this.#missing(expr.name);
  }

  #global(name: string): Plan | undefined {
    const { environment, slots } = this.#options;
    for (const candidate of candidateNames(environment.container, name)) {
      const slot = slots.get(candidate);
      if (slot !== undefined) return this.#slot(slot, candidate);
      const type = environment.typeNames.get(candidate);
      if (type) return constant(new TypeValue(type.params[0]?.name ?? candidate));
    }
    return undefined;
  }

  #missing(name: string): Plan {
    return attribute(() => {
      throw new CelError(`no such attribute(s): ${name}`);
    });
  }

  #slot(slot: number, name: string): Plan {
    return attribute((frame) => {
      const value = frame.slots[slot];
      if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
      return value;
    });
  }

  #select(expr: SelectExpr): Plan {
    if (expr.constant !== undefined) return constant(expr.constant);
    const name = expr.test ? undefined : (expr.resolved ?? this.#unchecked(expr));
    const global = name === undefined ? undefined : this.#global(name);
    if (global) return global;
    const { field } = expr;
    if (expr.test) {
      const base = this.#base(expr.operand);
      return plain((frame) => {
        const target = base(frame);
        frame.charge(1);
        return hasField(target, field);
      });
    }
    return this.#step(expr.operand, (target, frame) => getThrough(target, field, frame));
  }

  /** A qualified name that no checker has resolved. */
  #unchecked(expr: SelectExpr): string | undefined {
    if (expr.type) return undefined;
    const parts: string[] = [];
    let at: Expr = expr;
    for (; at.kind === 'select'; at = at.operand) parts.unshift(at.field);
    if (at.kind !== 'ident') return undefined;
    const { name } = at;
    return this.#locals.some(([local]) => local === name) ? undefined : [name, ...parts].join('.');
  }

  /** What a field is looked up in, without the unit for the reading: it is charged by the outermost step. */
  #base(operand: Expr): Step {
    return this.plan(operand).bare;
  }

  /** One step into a part; the reading is charged once, where the chain ends. */
  #step(operand: Expr, into: (target: Value, frame: Frame) => Value): Plan {
    const { bare, chain } = this.plan(operand);
    const step: Step = (frame) => into(bare(frame), frame);
    return chain === 'choice' ? { run: step, bare: step, chain } : attribute(step);
  }

  #call(expr: CallExpr): Plan {
    const [first, second, third] = expr.args;
    switch (expr.name) {
      case operators.and:
      case operators.or:
        return plain(
          logical(
            expr.args.map((arg) => this.plan(arg).run),
            expr.name === operators.or,
          ),
        );
      case operators.conditional:
        return first && second && third ? this.#conditional(first, second, third) : this.#missing(expr.name);
      case operators.index:
      case operators.optIndex:
      case operators.optSelect:
        return first && second ? this.#index(expr, first, second) : this.#missing(expr.name);
      default:
        return this.#function(expr);
    }
  }

  #conditional(condition: Expr, yes: Expr, no: Expr): Plan {
    const step = conditional(this.plan(condition).run, this.plan(yes).bare, this.plan(no).bare);
    return { run: step, bare: step, chain: 'choice' };
  }

  #index({ name }: CallExpr, operand: Expr, index: Expr): Plan {
    const key = this.plan(index).bare;
    if (name === operators.index) {
      return this.#step(operand, (target, frame) => getThrough(target, key(frame), frame));
    }
    return this.#step(operand, (target, frame) => findOptional(target, key(frame), frame));
  }

  #function(expr: CallExpr): Plan {
    const { environment } = this.#options;
    const target = expr.target && this.plan(expr.target);
    const args = expr.args.map((arg) => this.plan(arg));
    const call: CallPlan = {
      expr,
      environment,
      args: target ? [target, ...args] : args,
      types: [...(expr.target ? [expr.target] : []), ...expr.args].map((arg) => arg.type),
    };
    return planCall(call, () => {
      const names = candidateNames(environment.container, expr.name);
      return names.flatMap((name) => environment.functions.get(name) ?? []);
    });
  }

  #list({ elements, optional }: ListExpr): Plan {
    const plans = elements.map((element) => this.plan(element));
    const steps = plans.map(({ run }) => run);
    if (optional.size === 0 && plans.every((plan) => plan.constant)) {
      return constant(new ArrayList(plans.map((plan) => plan.constant?.value ?? null)));
    }
    return plain(
      charging(10, (frame) => {
        const items: Value[] = [];
        for (const [index, step] of steps.entries()) {
          const value = step(frame);
          if (!optional.has(index)) items.push(value);
          else if (!(value instanceof Optional)) {
            throw new CelError('cannot initialize optional list element from non-optional value');
          } else if (value.value !== undefined) items.push(value.value);
        }
        return new ArrayList(items);
      }),
    );
  }

  #map({ entries }: MapExpr): Plan {
    const plans = entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const step = charging(30, (frame) => {
      const made = new Map<MapKey, readonly [Value, Value]>();
      for (const { key, value, optional } of plans) {
        const name = key.run(frame);
        const own = optional ? optionalValue(value.run(frame)) : value.run(frame);
        if (own !== undefined) setEntry(made, name, own);
      }
      return new EntryMap(made);
    });
    if (!plans.every(({ key, value, optional }) => !optional && key.constant && value.constant)) return plain(step);
    const made = new Map<MapKey, readonly [Value, Value]>();
    try {
      for (const { key, value } of plans) {
        setEntry(made, key.constant?.value ?? null, value.constant?.value ?? null);
      }
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      return plain(step);
    }
    return constant(new EntryMap(made));
  }

  #struct({ name, fields }: StructExpr): Plan {
    const { construct } = this.#options;
    const plans = fields.map(({ name: field, value, optional }) => ({ field, step: this.plan(value).run, optional }));
    return plain((frame) => {
      const made = new Map<string, Value>();
      for (const { field, step, optional } of plans) {
        const value = optional ? optionalValue(step(frame)) : step(frame);
        if (value !== undefined) made.set(field, value);
      }
      frame.charge(40);
      if (!construct) throw new CelError(`unknown type: ${name}`);
      return construct(name, made);
    });
  }

  #comprehension(expr: ComprehensionExpr): Plan {
    const { shape } = expr;
    if (shape.kind === 'bind') return this.#bind(expr);
    const range = this.plan(expr.range).run;
    const outer = this.#locals;
    const slots = this.#loopSlots(expr);
    const step = this.#loop(shape, range, slots);
    this.#locals = outer;
    return plain(step);
  }

  #loop(shape: Exclude<ComprehensionExpr['shape'], { kind: 'bind' }>, range: Step, slots: LoopSlots): Step {
    switch (shape.kind) {
      case 'all':
      case 'exists':
        return quantify(range, slots, this.plan(shape.predicate).run, shape.kind === 'exists');
      case 'one':
        return existsOne(range, slots, this.plan(shape.predicate).run);
      default: {
        const filter = shape.filter && this.plan(shape.filter).run;
        const transform = this.plan(shape.transform);
        if (shape.kind === 'list') {
          return collectList(range, slots, filter, transform.run, transform.constant ? 2 : 12);
        }
        const collect = shape.entries ? collectEntries : collectMap;
        return collect(range, slots, filter, transform.run);
      }
    }
  }

  #loopSlots({ variable, second }: ComprehensionExpr): LoopSlots {
    const first = this.#local(variable);
    return { first, second: second === undefined ? undefined : this.#local(second) };
  }

  #local(name: string): number {
    const slot = this.slotCount;
    this.slotCount += 1;
    this.#locals = [[name, slot], ...this.#locals];
    return slot;
  }

  /** The value is worked out when it is first needed, and once. */
  #bind({ accumulator, init, result }: ComprehensionExpr): Plan {
    const value = this.plan(init).run;
    const outer = this.#locals;
    const slot = this.#local(accumulator);
    const read = this.plan(result).run;
    this.#locals = outer;
    return plain((frame) => {
      frame.slots[slot] = value(frame);
      return read(frame);
    });
  }
}

/** A part that costs as much when it fails. */
function charging(cost: number, make: Step): Step {
  return (frame) => {
    let made: Value;
    try {
      made = make(frame);
    } catch (error) {
      if (error instanceof CelError) frame.charge(cost);
      throw error;
    }
    frame.charge(cost);
    return made;
  };
}

function optionalValue(value: Value): Value | undefined {
  if (value instanceof Optional) return value.value;
  throw new CelError('cannot initialize optional entry from non-optional value');
}
