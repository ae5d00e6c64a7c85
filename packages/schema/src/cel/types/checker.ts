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
import type { Issues } from '../syntax/issues.ts';
import { typeNameOf } from '../values/describe.ts';
import { candidateNames, type Environment, typeValue } from './environment.ts';
import type { Overload } from './overload.ts';
import {
  type CelType,
  formatType,
  isOptional,
  listOf,
  mapOf,
  optionalOf,
  sameType,
  typeParam,
  types,
  unwrapOptional,
} from './type.ts';
import { mostGeneral, type Substitutions, substitute, unifyAll } from './unify.ts';

/**
 * Finds the type of every part of an expression, notes it on the nodes, and reports what does not fit.
 * Values of type `dyn` fit everywhere; what they are is seen at run time.
 */
export function check(expr: Expr, environment: Environment, issues: Issues): CelType {
  const checker = new Checker(environment, issues);
  checker.check(expr);
  checker.settle();
  return expr.type ?? types.error;
}

type Scope = ReadonlyMap<string, CelType>;

class Checker {
  readonly #environment: Environment;
  readonly #issues: Issues;
  readonly #checked: Expr[] = [];
  #subs: Substitutions = new Map();
  #scopes: readonly Scope[] = [];
  #fresh = 0;

  constructor(environment: Environment, issues: Issues) {
    this.#environment = environment;
    this.#issues = issues;
  }

  check(expr: Expr): CelType {
    if (expr.type) return expr.type;
    const type = this.#typeOf(expr);
    expr.type = type;
    this.#checked.push(expr);
    return type;
  }

  /** Puts what the variables turned out to be into the noted types. */
  settle(): void {
    for (const expr of this.#checked) expr.type = substitute(this.#subs, expr.type ?? types.dyn, true);
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.kind) {
      case 'const':
        return constantTypes[typeNameOf(expr.value)] ?? types.dyn;
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

  #report(offset: number, message: string): CelType {
    this.#issues.report(offset, message);
    return types.error;
  }

  #undeclared(offset: number, name: string): CelType {
    return this.#report(offset, `undeclared reference to '${name}' (in container '${this.#environment.container}')`);
  }

  #assignable(from: CelType, to: CelType): boolean {
    const subs = unifyAll(this.#subs, [from], [to]);
    if (subs) this.#subs = subs;
    return subs !== undefined;
  }

  #variable(): CelType {
    this.#fresh += 1;
    return typeParam(`_var${this.#fresh}`);
  }

  #local(name: string): CelType | undefined {
    return this.#scopes.find((scope) => scope.has(name))?.get(name);
  }

  #ident(expr: IdentExpr): CelType {
    const local = this.#local(expr.name);
    if (local) return local;
    return this.#global(expr, expr.name) ?? this.#undeclared(expr.offset, expr.name);
  }

  /** A variable or a type by its possibly qualified name. */
  #global(expr: IdentExpr | SelectExpr, name: string): CelType | undefined {
    const { variables, typeNames, container } = this.#environment;
    for (const candidate of candidateNames(container, name)) {
      const variable = variables.get(candidate);
      if (variable) {
        expr.resolved = candidate;
        return variable;
      }
      const named = typeNames.get(candidate);
      if (named) {
        expr.constant = typeValue(named);
        return named;
      }
    }
    return undefined;
  }

  #select(expr: SelectExpr): CelType {
    const name = expr.test ? undefined : qualifiedName(expr);
    if (name !== undefined && !this.#local(rootOf(name))) {
      const global = this.#global(expr, name);
      if (global) return global;
    }
    const type = this.#field(expr.offset, expr.operand, expr.field, false);
    return expr.test ? types.bool : type;
  }

  #field(offset: number, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = substitute(this.#subs, this.check(operand), false);
    const result = this.#fieldOf(offset, unwrapOptional(operandType), field);
    const wrapped = optional || isOptional(operandType) ? optionalOf(result) : result;
    return substitute(this.#subs, wrapped, false);
  }

  #fieldOf(offset: number, target: CelType, field: string): CelType {
    switch (target.kind) {
      case 'map':
        return target.params[1] ?? types.dyn;
      case 'struct':
        return (
          this.#environment.fieldType(target.name, field) ?? this.#report(offset, this.#unknown(target.name, field))
        );
      case 'param':
        this.#assignable(types.dyn, target);
        return types.dyn;
      case 'dyn':
      case 'error':
        return types.dyn;
      default:
        this.#report(offset, `type '${formatType(target)}' does not support field selection`);
        return types.dyn;
    }
  }

  /** Types of libraries have no fields at all. */
  #unknown(typeName: string, field: string): string {
    const isLibrary = this.#environment.typeNames.has(typeName);
    return isLibrary ? `unexpected failed resolution of '${typeName}'` : `undefined field '${field}'`;
  }

  #call(expr: CallExpr): CelType {
    if (expr.name === operators.optSelect) {
      const [operand, field] = expr.args;
      if (!operand || field?.kind !== 'const') return types.error;
      expr.overloads = ['select_optional_field'];
      return this.#field(expr.offset, operand, String(field.value), true);
    }
    for (const arg of expr.args) this.check(arg);
    const prefix = expr.target && qualifiedName(expr.target);
    const namespaced = prefix === undefined ? undefined : this.#function(`${prefix}.${expr.name}`);
    if (namespaced) {
      delete expr.target;
      expr.name = namespaced[0]?.name ?? expr.name;
      return this.#resolve(expr, namespaced, expr.args);
    }
    if (expr.target) this.check(expr.target);
    const found = expr.target ? this.#environment.functions.get(expr.name) : this.#function(expr.name);
    if (!found) return this.#undeclared(expr.offset, expr.name);
    if (!expr.target) expr.name = found[0]?.name ?? expr.name;
    return this.#resolve(expr, found, expr.target ? [expr.target, ...expr.args] : expr.args);
  }

  #function(name: string): readonly Overload[] | undefined {
    for (const candidate of candidateNames(this.#environment.container, name)) {
      const found = this.#environment.functions.get(candidate);
      if (found) return found;
    }
    return undefined;
  }

  #resolve(expr: CallExpr, overloads: readonly Overload[], args: readonly Expr[]): CelType {
    if (expr.name === operators.and || expr.name === operators.or) return this.#logic(expr, overloads);
    const argTypes = args.map((arg) => arg.type ?? types.dyn);
    const matches: string[] = [];
    let result: CelType | undefined;
    for (const candidate of overloads) {
      if (candidate.member !== (expr.target !== undefined) || candidate.args.length !== args.length) continue;
      const type = this.#tryOverload(candidate, argTypes);
      if (!type) continue;
      matches.push(candidate.id);
      if (!result) result = type;
      else if (result.kind !== 'dyn' && !sameType(result, type)) result = types.dyn;
    }
    if (!result) return this.#noOverload(expr, argTypes);
    expr.overloads = matches;
    return result;
  }

  #tryOverload(candidate: Overload, argTypes: readonly CelType[]): CelType | undefined {
    const fresh: Substitutions = new Map(candidate.variables.map((name) => [name, this.#variable()]));
    const wanted = candidate.args.map((type) => substitute(fresh, type, false));
    const subs = unifyAll(this.#subs, argTypes, wanted);
    if (!subs) return undefined;
    this.#subs = subs;
    return substitute(subs, substitute(fresh, candidate.result, false), false);
  }

  #logic(expr: CallExpr, overloads: readonly Overload[]): CelType {
    let sound = true;
    for (const { type = types.dyn, offset } of expr.args) {
      if (this.#assignable(type, types.bool)) continue;
      this.#report(offset, `expected type 'bool' but found '${formatType(type)}'`);
      sound = false;
    }
    expr.overloads = overloads.map(({ id }) => id);
    return sound ? types.bool : types.error;
  }

  #noOverload(expr: CallExpr, argTypes: readonly CelType[]): CelType {
    const shown = argTypes.map((type) => formatType(substitute(this.#subs, type, true)));
    const signature = expr.target ? `${shown[0]}.(${shown.slice(1).join(', ')})` : `(${shown.join(', ')})`;
    return this.#report(expr.offset, `found no matching overload for '${expr.name}' applied to '${signature}'`);
  }

  #list(expr: ListExpr): CelType {
    let joined: CelType | undefined;
    for (const [index, element] of expr.elements.entries()) {
      const type = this.check(element);
      const own = expr.optional.has(index) ? this.#unwrapped(element, type) : type;
      joined = this.#join(joined, own);
    }
    return listOf(joined ?? this.#variable());
  }

  #unwrapped({ offset }: Expr, type: CelType): CelType {
    if (isOptional(type)) return unwrapOptional(type);
    if (type.kind !== 'dyn') {
      const [wanted, found] = [formatType(optionalOf(type)), formatType(type)];
      this.#report(offset, `expected type '${wanted}' but found '${found}'`);
    }
    return type;
  }

  #map(expr: MapExpr): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.check(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrapped(entry.value, type) : type);
    }
    return mapOf(key ?? this.#variable(), value ?? this.#variable());
  }

  #join(previous: CelType | undefined, current: CelType): CelType {
    if (!previous) return current;
    return this.#assignable(previous, current) ? mostGeneral(previous, current) : types.dyn;
  }

  #struct(expr: StructExpr): CelType {
    for (const field of expr.fields) this.check(field.value);
    const { typeNames, container, fieldType, objectType } = this.#environment;
    const known = (candidate: string) => typeNames.get(candidate)?.params[0] ?? objectType(candidate);
    const name = candidateNames(container, expr.name).find((candidate) => known(candidate));
    if (name === undefined) return this.#undeclared(expr.offset, expr.name);
    const type = known(name) ?? types.error;
    if (type.kind !== 'struct') return this.#report(expr.offset, `'${name}' is not a message type`);
    expr.name = name;
    for (const field of expr.fields) {
      const wanted = fieldType(name, field.name) ?? this.#report(field.offset, `undefined field '${field.name}'`);
      const own = field.value.type ?? types.dyn;
      const found = field.optional ? this.#unwrapped(field.value, own) : own;
      if (this.#assignable(wanted, found)) continue;
      const [expected, given] = [formatType(wanted), formatType(found)];
      this.#report(
        field.offset,
        `expected type of field '${field.name}' is '${expected}' but provided type is '${given}'`,
      );
    }
    return type;
  }

  #comprehension(expr: ComprehensionExpr): CelType {
    const range = substitute(this.#subs, this.check(expr.range), false);
    const accumulated = this.check(expr.init);
    const outer = this.#scopes;
    this.#scopes = [new Map([[expr.accumulator, accumulated]]), ...outer];
    const inner = this.#scopes;
    const [first, second] = this.#elementTypes(expr, range);
    const names: [string, CelType][] = [[expr.variable, first]];
    if (expr.second !== undefined) names.push([expr.second, second]);
    this.#scopes = [new Map(names), ...inner];
    this.check(expr.condition);
    this.#assert(expr.condition, types.bool);
    this.check(expr.step);
    this.#assert(expr.step, accumulated);
    this.#scopes = inner;
    const result = this.check(expr.result);
    this.#scopes = outer;
    return substitute(this.#subs, result, false);
  }

  #elementTypes({ range, second }: ComprehensionExpr, type: CelType): [CelType, CelType] {
    const [first = types.dyn, value = types.dyn] = type.params;
    switch (type.kind) {
      case 'list':
        return second === undefined ? [first, types.dyn] : [types.int, first];
      case 'map':
        return [first, value];
      case 'dyn':
      case 'error':
      case 'param':
        this.#assignable(types.dyn, type);
        return [types.dyn, types.dyn];
      default: {
        const wanted = 'must be list, map, or dynamic';
        this.#report(
          range.offset,
          `expression of type '${formatType(type)}' cannot be range of a comprehension (${wanted})`,
        );
        return [types.error, types.error];
      }
    }
  }

  #assert({ offset, type = types.dyn }: Expr, wanted: CelType): void {
    if (this.#assignable(wanted, type)) return;
    const [expected, found] = [formatType(wanted), formatType(type)];
    this.#report(offset, `expected type '${expected}' but found '${found}'`);
  }
}

const constantTypes: Readonly<Record<string, CelType>> = Object.fromEntries(
  Object.values(types).map((type) => [type.name, type]),
);

/** `a.b.c` when an expression is nothing but names and dots. */
function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function rootOf(name: string): string {
  const dot = name.indexOf('.', 1);
  return dot < 0 ? name : name.slice(0, dot);
}
