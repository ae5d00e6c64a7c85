import type { CelType } from '../types/type.ts';
import type { Value } from '../values/value.ts';

/**
 * Expressions as the parser builds them. The checker writes its findings on the nodes: the type, and for calls the
 * overloads that may apply. A node may be reached along two ways (the target of `optMap`), and is checked once.
 */
interface Node {
  /** Place in the text, in code points. */
  readonly offset: number;
  type?: CelType;
}

export interface ConstExpr extends Node {
  readonly kind: 'const';
  readonly value: Value;
}

export interface IdentExpr extends Node {
  readonly kind: 'ident';
  readonly name: string;
  /** Set by the checker: the declaration it names; the same as `name` but for qualified names. */
  resolved?: string;
  /** Set by the checker when it names a type. */
  constant?: Value;
}

export interface SelectExpr extends Node {
  readonly kind: 'select';
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly test: boolean;
  /** Set by the checker when the whole chain is one qualified variable or type. */
  resolved?: string;
  constant?: Value;
}

export interface CallExpr extends Node {
  readonly kind: 'call';
  /** Made global by the checker when `target.name` turns out to be a namespaced function. */
  target?: Expr;
  name: string;
  readonly args: readonly Expr[];
  /** Set by the checker: ids of the overloads that may apply; one when the types say it all. */
  overloads?: readonly string[];
}

export interface ListExpr extends Node {
  readonly kind: 'list';
  readonly elements: readonly Expr[];
  /** Indexes of elements marked with `?`. */
  readonly optional: ReadonlySet<number>;
}

export interface EntryExpr {
  readonly offset: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Node {
  readonly kind: 'map';
  readonly entries: readonly EntryExpr[];
}

export interface FieldExpr {
  readonly offset: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface StructExpr extends Node {
  readonly kind: 'struct';
  name: string;
  readonly fields: readonly FieldExpr[];
}

/** What a macro does, in its own terms; the evaluator works by it. */
export type Shape =
  | { readonly kind: 'all' | 'exists' | 'one'; readonly predicate: Expr }
  | { readonly kind: 'list'; readonly filter: Expr | undefined; readonly transform: Expr }
  | { readonly kind: 'map'; readonly filter: Expr | undefined; readonly transform: Expr; readonly entries: boolean }
  | { readonly kind: 'bind' };

/** A macro unfolded into the general loop, by which it is typed and its cost is estimated. */
export interface ComprehensionExpr extends Node {
  readonly kind: 'comprehension';
  readonly shape: Shape;
  readonly range: Expr;
  readonly variable: string;
  readonly second: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr = ConstExpr | IdentExpr | SelectExpr | CallExpr | ListExpr | MapExpr | StructExpr | ComprehensionExpr;

/** The variable that macros collect their result in; no text can name it. */
export const accumulator = '@result';
/** The loop variable of a comprehension that only binds a name. */
export const unusedVariable = '#unused';

export const operators = {
  conditional: '_?_:_',
  and: '_&&_',
  or: '_||_',
  not: '!_',
  notStrictlyFalse: '@not_strictly_false',
  negate: '-_',
  equals: '_==_',
  notEquals: '_!=_',
  add: '_+_',
  index: '_[_]',
  optIndex: '_[?_]',
  optSelect: '_?._',
  in: '@in',
} as const;
