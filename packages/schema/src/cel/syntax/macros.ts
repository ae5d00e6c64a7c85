import { accumulator, type ComprehensionExpr, type Expr, operators, type Shape, unusedVariable } from './ast.ts';

/** A call as it stands in the text. */
export interface MacroCall {
  readonly name: string;
  readonly offset: number;
  readonly target: Expr | undefined;
  readonly args: readonly Expr[];
}

export type Expansion = { readonly expr: Expr } | { readonly offset: number; readonly error: string };

export type Macro = (call: MacroCall, args: readonly Expr[]) => Expansion | undefined;

/** By name, number of arguments and whether there is a target: `all/2/true`; `*` for any number. */
export type MacroSet = ReadonlyMap<string, Macro>;

export function macroKey(name: string, arity: number, receiver: boolean): string {
  return `${name}/${arity}/${receiver}`;
}

export function expandMacro(macros: MacroSet, call: MacroCall): Expansion | undefined {
  const receiver = call.target !== undefined;
  const macro = macros.get(macroKey(call.name, call.args.length, receiver)) ?? macros.get(`${call.name}/*/${receiver}`);
  return macro?.(call, call.args);
}

/** Builds the parts of an unfolded macro, all of them placed at its opening parenthesis. */
function builder(offset: number) {
  const constant = (value: boolean | number): Expr => ({ kind: 'const', offset, value });
  const ident = (name: string): Expr => ({ kind: 'ident', offset, name });
  return {
    constant,
    ident,
    result: () => ident(accumulator),
    call: (name: string, ...args: Expr[]): Expr => ({ kind: 'call', offset, name, args }),
    list: (...elements: Expr[]): Expr => ({ kind: 'list', offset, elements, optional: new Set() }),
  };
}

interface Loop {
  readonly range: Expr;
  readonly variable: string;
  readonly second: string | undefined;
}

type LoopReader = (call: MacroCall) => Loop | { readonly offset: number; readonly error: string };

const clash = 'iteration variable overwrites accumulator variable';

function reader(count: 1 | 2, complaint: string): LoopReader {
  return ({ target, args, offset }) => {
    const names: string[] = [];
    for (const arg of args.slice(0, count)) {
      if (arg.kind !== 'ident' || arg.name.startsWith('.')) return { offset: arg.offset, error: complaint };
      if (names.includes(arg.name)) return { offset: arg.offset, error: `duplicate variable name: ${arg.name}` };
      if (arg.name === accumulator || arg.name === '__result__') return { offset: arg.offset, error: clash };
      names.push(arg.name);
    }
    const [variable = '', second] = names;
    return { range: target ?? { kind: 'list', offset, elements: [], optional: new Set() }, variable, second };
  };
}

const oneName = reader(1, 'argument must be a simple name');
const twoNames = reader(2, 'argument must be a simple name');
const oneIdentifier = reader(1, 'argument is not an identifier');

type Body = Pick<ComprehensionExpr, 'shape' | 'init' | 'condition' | 'step' | 'result'>;

function loop(read: LoopReader, body: (call: MacroCall, loop: Loop) => Body): Macro {
  return (call) => {
    const head = read(call);
    if ('error' in head) return head;
    return { expr: { kind: 'comprehension', offset: call.offset, accumulator, ...head, ...body(call, head) } };
  };
}

function last(call: MacroCall): Expr {
  return call.args.at(-1) ?? { kind: 'const', offset: call.offset, value: null };
}

function quantifier(kind: 'all' | 'exists' | 'one'): (call: MacroCall) => Body {
  return (call) => {
    const make = builder(call.offset);
    const predicate = last(call);
    const shape: Shape = { kind, predicate };
    if (kind === 'one') {
      const counted = make.call(operators.add, make.result(), make.constant(1));
      return {
        shape,
        init: make.constant(0),
        condition: make.constant(true),
        step: make.call(operators.conditional, predicate, counted, make.result()),
        result: make.call(operators.equals, make.result(), make.constant(1)),
      };
    }
    const all = kind === 'all';
    const open = all ? make.result() : make.call(operators.not, make.result());
    return {
      shape,
      init: make.constant(all),
      condition: make.call(operators.notStrictlyFalse, open),
      step: make.call(all ? operators.and : operators.or, make.result(), predicate),
      result: make.result(),
    };
  };
}

/** The arguments after the names: `[filter,] transform`. */
function bodyOf(call: MacroCall, names: number): { filter: Expr | undefined; transform: Expr } {
  const filter = call.args.length - names === 2 ? call.args[names] : undefined;
  return { filter, transform: last(call) };
}

function collect(call: MacroCall, shape: Shape & { readonly kind: 'list' | 'map' }, init: Expr, grown: Expr): Body {
  const make = builder(call.offset);
  const step = shape.filter ? make.call(operators.conditional, shape.filter, grown, make.result()) : grown;
  return { shape, init, condition: make.constant(true), step, result: make.result() };
}

function listBody(names: number): (call: MacroCall) => Body {
  return (call) => {
    const make = builder(call.offset);
    const parts = bodyOf(call, names);
    const grown = make.call(operators.add, make.result(), make.list(parts.transform));
    return collect(call, { kind: 'list', ...parts }, make.list(), grown);
  };
}

function filterBody(call: MacroCall): Body {
  const make = builder(call.offset);
  const [variable = last(call)] = call.args;
  const grown = make.call(operators.add, make.result(), make.list(variable));
  return collect(call, { kind: 'list', filter: last(call), transform: variable }, make.list(), grown);
}

function mapBody(entries: boolean): (call: MacroCall, loop: Loop) => Body {
  return (call, { variable }) => {
    const make = builder(call.offset);
    const parts = bodyOf(call, 2);
    const grown = entries
      ? make.call('cel.@mapInsert', make.result(), parts.transform)
      : make.call('cel.@mapInsert', make.result(), make.ident(variable), parts.transform);
    const init: Expr = { kind: 'map', offset: call.offset, entries: [] };
    return collect(call, { kind: 'map', entries, ...parts }, init, grown);
  };
}

/** `name` stands for `value` within `body`. */
export function bindTo(offset: number, name: string, value: Expr, body: Expr): Expr {
  const make = builder(offset);
  return {
    kind: 'comprehension',
    offset,
    shape: { kind: 'bind' },
    range: make.list(),
    variable: unusedVariable,
    second: undefined,
    accumulator: name,
    init: value,
    condition: make.constant(false),
    step: make.ident(name),
    result: body,
  };
}

function optionalMap(name: 'optMap' | 'optFlatMap'): Macro {
  return ({ offset, target }, [variable, body]) => {
    if (!target || !body || !variable) return undefined;
    if (variable.kind !== 'ident' || variable.name.startsWith('.')) {
      return { offset: variable.offset, error: `${name}() variable name must be a simple identifier` };
    }
    const member = (method: string): Expr => ({ kind: 'call', offset, name: method, args: [], target });
    const bound = bindTo(offset, variable.name, member('value'), body);
    const make = builder(offset);
    const some = name === 'optMap' ? make.call('optional.of', bound) : bound;
    const none = make.call('optional.none');
    return { expr: make.call(operators.conditional, member('hasValue'), some, none) };
  };
}

const has: Macro = ({ offset }, [arg]) => {
  if (arg?.kind !== 'select') return { offset: arg?.offset ?? offset, error: 'invalid argument to has() macro' };
  return { expr: { kind: 'select', offset, operand: arg.operand, field: arg.field, test: true } };
};

const bind: Macro = ({ offset, target }, [variable, value, body]) => {
  if (target?.kind !== 'ident' || target.name !== 'cel' || !variable || !value || !body) return undefined;
  if (variable.kind !== 'ident') {
    return { offset: variable.offset, error: 'cel.bind() variable names must be simple identifiers' };
  }
  return { expr: bindTo(offset, variable.name, value, body) };
};

const sortInput = '@__sortBy_input__';

const sortBy: Macro = (call) => {
  const { target, offset } = call;
  if (!target) return undefined;
  if (target.kind === 'const' || target.kind === 'map' || target.kind === 'struct') {
    const error = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
    return { offset: target.offset, error };
  }
  const input: Expr = { kind: 'ident', offset, name: sortInput };
  const keys = loop(oneIdentifier, listBody(1))({ ...call, target: { ...input } }, call.args);
  if (!keys || 'error' in keys) return keys;
  const sorted: Expr = { kind: 'call', offset, name: '@sortByAssociatedKeys', args: [keys.expr], target: input };
  return { expr: bindTo(offset, sortInput, target, sorted) };
};

/** `has` and the one-variable macros of the language. */
export const standardMacros: MacroSet = new Map<string, Macro>([
  [macroKey('has', 1, false), has],
  [macroKey('all', 2, true), loop(oneName, quantifier('all'))],
  [macroKey('exists', 2, true), loop(oneName, quantifier('exists'))],
  [macroKey('exists_one', 2, true), loop(oneName, quantifier('one'))],
  [macroKey('existsOne', 2, true), loop(oneName, quantifier('one'))],
  [macroKey('map', 2, true), loop(oneIdentifier, listBody(1))],
  [macroKey('map', 3, true), loop(oneIdentifier, listBody(1))],
  [macroKey('filter', 2, true), loop(oneIdentifier, filterBody)],
]);

export const optionalMacros: MacroSet = new Map<string, Macro>([
  [macroKey('optMap', 2, true), optionalMap('optMap')],
  [macroKey('optFlatMap', 2, true), optionalMap('optFlatMap')],
]);

export const bindMacros: MacroSet = new Map<string, Macro>([[macroKey('bind', 3, true), bind]]);

export const listMacros: MacroSet = new Map<string, Macro>([[macroKey('sortBy', 2, true), sortBy]]);

export const twoVariableMacros: MacroSet = new Map<string, Macro>([
  [macroKey('all', 3, true), loop(twoNames, quantifier('all'))],
  [macroKey('exists', 3, true), loop(twoNames, quantifier('exists'))],
  [macroKey('existsOne', 3, true), loop(twoNames, quantifier('one'))],
  [macroKey('exists_one', 3, true), loop(twoNames, quantifier('one'))],
  [macroKey('transformList', 3, true), loop(twoNames, listBody(2))],
  [macroKey('transformList', 4, true), loop(twoNames, listBody(2))],
  [macroKey('transformMap', 3, true), loop(twoNames, mapBody(false))],
  [macroKey('transformMap', 4, true), loop(twoNames, mapBody(false))],
  [macroKey('transformMapEntry', 3, true), loop(twoNames, mapBody(true))],
  [macroKey('transformMapEntry', 4, true), loop(twoNames, mapBody(true))],
]);
