import {
  accumulator,
  type CallExpr,
  type ComprehensionExpr,
  type Expr,
  operators,
  type SelectExpr,
} from '../syntax/ast.ts';
import { type CelType, isOptional, types, unwrapOptional } from '../types/type.ts';
import { textSize } from '../values/text.ts';
import { type CallEstimate, estimateLibraryCall, estimateStandardCall, type Operand } from './estimate-call.ts';
import { fixed, product, type Range, sum, unbounded, union, unknownSize } from './estimate-size.ts';

/** The greatest size of what a path leads to: a variable, then fields, `@items`, `@keys` and `@values`. */
export type SizeAt = (path: readonly string[]) => Range | undefined;

/** Bounds of what an expression costs, whatever it is evaluated on (`spec/embedded.md` §1.11). */
export function estimateCost(expr: Expr, sizeAt: SizeAt): Range {
  return new Estimator(sizeAt).cost(expr);
}

type Path = readonly string[];

/** Sizes of the keys and values of a container. */
interface EntrySize {
  readonly list: boolean;
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly name: string;
  readonly path: Path;
  readonly size: Range | undefined;
  readonly entry: EntrySize | undefined;
}

const scalars: ReadonlySet<CelType['kind']> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);

class Estimator {
  readonly #sizeAt: SizeAt;
  readonly #costs = new Map<Expr, Range>();
  readonly #paths = new Map<Expr, Path>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySize>();
  #locals: readonly Local[] = [];

  constructor(sizeAt: SizeAt) {
    this.#sizeAt = sizeAt;
  }

  cost(expr: Expr): Range {
    let cost = this.#costs.get(expr);
    if (!cost) {
      cost = this.#costOf(expr);
      this.#costs.set(expr, cost);
    }
    return cost;
  }

  #costOf(expr: Expr): Range {
    switch (expr.kind) {
      case 'const':
        return fixed(0);
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.resolved ?? expr.name]);
        return fixed(1);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#container(expr, expr.elements, expr.elements, 10);
      case 'map': {
        const values = expr.entries.map(({ value }) => value);
        return this.#container(expr, [...expr.entries.map(({ key }) => key), ...values], values, 30);
      }
      case 'struct':
        return sum(...expr.fields.map(({ value }) => this.cost(value)), fixed(40));
      default:
        return expr.shape.kind === 'bind' ? this.#bind(expr) : this.#comprehension(expr);
    }
  }

  #select(expr: SelectExpr): Range {
    if (expr.constant !== undefined || expr.resolved !== undefined) {
      this.#paths.set(expr, [expr.resolved ?? expr.field]);
      return fixed(1);
    }
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    const kind = expr.operand.type?.kind;
    this.#paths.set(expr, [...this.#pathOf(expr.operand), expr.field]);
    return kind === 'map' || kind === 'struct' || kind === 'param' ? sum(operand, fixed(1)) : operand;
  }

  #container(expr: Expr, parts: readonly Expr[], values: readonly Expr[], base: number): Range {
    const cost = sum(...parts.map((part) => this.cost(part)), fixed(base));
    const sizes = (of: readonly Expr[]) =>
      of.length === 0
        ? fixed(0)
        : of.map((part) => this.#sizeOrUnknown(part)).reduce((a, b) => union(a, b), { min: unbounded, max: 0 });
    const list = expr.kind === 'list';
    const keys = list ? fixed(1) : sizes(parts.slice(0, parts.length - values.length));
    this.#entries.set(expr, { list, key: keys, value: sizes(values) });
    return cost;
  }

  #call(expr: CallExpr): Range {
    if (expr.name === 'dyn' && expr.args[0]) {
      const [arg] = expr.args;
      const cost = this.cost(arg);
      this.#copySizes(expr, arg);
      return sum(fixed(1), cost);
    }
    const args = expr.target ? [expr.target, ...expr.args] : expr.args;
    const costs = args.map((arg) => this.cost(arg));
    const overloads = expr.overloads ?? [];
    if (overloads.length === 0) return fixed(0);
    const operands = args.map((arg) => this.#operand(arg));
    let cost: Range = { min: unbounded, max: 0 };
    let size: Range | undefined;
    for (const overload of overloads) {
      const estimate = this.#estimate(expr, overload, operands, costs);
      cost = union(cost, estimate.cost);
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      size = this.#indexed(expr, overload, args[0], size) ?? this.#sizeOf(expr);
    }
    if (size) this.#sizes.set(expr, size);
    return cost;
  }

  /** An index leads to the items of its operand. */
  #indexed(expr: CallExpr, overload: string, operand: Expr | undefined, size: Range | undefined): Range | undefined {
    if ((overload !== 'index_list' && overload !== 'index_map') || !operand) return size;
    this.#paths.set(expr, [...this.#pathOf(operand), overload === 'index_list' ? '@items' : '@values']);
    return this.#entryOf(operand)?.value;
  }

  #estimate(expr: CallExpr, overload: string, operands: readonly Operand[], costs: readonly Range[]): CallEstimate {
    const all = sum(...costs);
    switch (expr.name) {
      case operators.and:
      case operators.or:
        return { cost: { min: costs[0]?.min ?? 0, max: all.max } };
      case operators.conditional: {
        const [condition = fixed(0), yes = fixed(0), no = fixed(0)] = costs;
        this.#unionEntries(expr, expr.args[1], expr.args[2]);
        const { size } = estimateStandardCall('conditional', operands);
        return { cost: sum(condition, union(yes, no)), ...(size && { size }) };
      }
      default: {
        if (overload.startsWith('add_')) this.#unionEntries(expr, expr.args[0], expr.args[1]);
        const estimate = estimateLibraryCall(expr.name, overload, operands) ?? estimateStandardCall(overload, operands);
        return { ...estimate, cost: sum(estimate.cost, all) };
      }
    }
  }

  #unionEntries(expr: Expr, a: Expr | undefined, b: Expr | undefined): void {
    const [x, y] = [a && this.#entryOf(a), b && this.#entryOf(b)];
    if (x && y) this.#entries.set(expr, { list: x.list, key: union(x.key, y.key), value: union(x.value, y.value) });
  }

  #operand(expr: Expr): Operand {
    const path = this.#pathOf(expr);
    const items = path.length > 0 && path[0] !== accumulator ? this.#sizeAt([...path, '@items']) : undefined;
    const itemType = expr.type?.params[0];
    return {
      expr,
      type: expr.type ?? types.dyn,
      size: this.#sizeOrUnknown(expr),
      itemSize: () => items ?? (itemType && scalars.has(itemType.kind) ? fixed(1) : unknownSize),
    };
  }

  #comprehension(expr: ComprehensionExpr): Range {
    const before = sum(this.cost(expr.range), this.cost(expr.init));
    const outer = this.#locals;
    this.#push({
      name: expr.accumulator,
      path: this.#pathOf(expr.init),
      size: this.#sizeOf(expr.init),
      entry: this.#entryOf(expr.init),
    });
    const inner = this.#locals;
    this.#pushVariables(expr);
    const perItem = sum(this.cost(expr.condition), this.cost(expr.step));
    this.#locals = inner;
    const after = this.cost(expr.result);
    this.#locals = outer;
    const count = this.#sizeOrUnknown(expr.range);
    this.#noteResult(expr, count);
    return sum(before, after, product(count, perItem));
  }

  #pushVariables({ variable, second, range }: ComprehensionExpr): void {
    const entry = this.#entryOf(range);
    const path = this.#pathOf(range);
    const list = entry ? entry.list : range.type?.kind === 'list';
    const value = { path: [...path, list ? '@items' : '@values'], size: entry?.value, entry: undefined };
    const key = { path: [...path, list ? '@indices' : '@keys'], size: entry?.key, entry: undefined };
    if (second === undefined) this.#push({ name: variable, ...(list ? value : key) });
    else {
      this.#push({ name: variable, ...key });
      this.#push({ name: second, ...value });
    }
  }

  #noteResult(expr: ComprehensionExpr, count: Range): void {
    if (expr.init.kind === 'const') {
      const size = this.#sizeOf(expr.init);
      if (size) this.#sizes.set(expr, size);
      return;
    }
    this.#sizes.set(expr, count);
    const entry = this.#entryOf(expr.step);
    if (entry) this.#entries.set(expr, entry);
  }

  #bind(expr: ComprehensionExpr): Range {
    const before = sum(this.cost(expr.range), this.cost(expr.init));
    const outer = this.#locals;
    this.#push({
      name: expr.accumulator,
      path: this.#pathOf(expr.init),
      size: this.#sizeOf(expr.init),
      entry: this.#entryOf(expr.init),
    });
    const result = this.cost(expr.result);
    this.#copySizes(expr, expr.result);
    this.#locals = outer;
    return sum(before, result);
  }

  #push(local: Local): void {
    this.#locals = [local, ...this.#locals];
  }

  #local(name: string): Local | undefined {
    return this.#locals.find((local) => local.name === name);
  }

  #pathOf(expr: Expr): Path {
    return (expr.kind === 'ident' ? this.#local(expr.name)?.path : undefined) ?? this.#paths.get(expr) ?? [];
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#sizeOf(from);
    if (size) this.#sizes.set(to, size);
    const entry = this.#entryOf(from);
    if (entry) this.#entries.set(to, entry);
  }

  #entryOf(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.kind === 'ident' ? this.#local(expr.name)?.entry : undefined);
  }

  #sizeOrUnknown(expr: Expr): Range {
    return this.#sizeOf(expr) ?? unknownSize;
  }

  #sizeOf(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known) return known;
    const path = this.#pathOf(expr);
    const bounded = path.length > 0 ? this.#sizeAt(path) : undefined;
    if (bounded) {
      this.#sizes.set(expr, bounded);
      return bounded;
    }
    if (isScalar(expr.type)) return fixed(1);
    return expr.kind === 'ident' ? this.#local(expr.name)?.size : undefined;
  }
}

function isScalar(type: CelType | undefined): boolean {
  if (!type) return false;
  return scalars.has(type.kind) || (isOptional(type) && isScalar(unwrapOptional(type)));
}

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === 'list') return fixed(expr.elements.length);
  if (expr.kind === 'map') return fixed(expr.entries.length);
  if (expr.kind !== 'const') return undefined;
  if (typeof expr.value === 'string') return fixed(textSize(expr.value));
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
}
