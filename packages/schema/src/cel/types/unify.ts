import { type CelType, listOf, mapOf, sameType, typeOf, types } from './type.ts';

/** What each type variable stands for so far. */
export type Substitutions = Map<string, CelType>;

const nullable: ReadonlySet<CelType['kind']> = new Set(['opaque', 'struct', 'timestamp', 'duration', 'null']);

function isDynOrError(type: CelType): boolean {
  return type.kind === 'dyn' || type.kind === 'error';
}

/** Whether a value of type `from` may stand where `to` is wanted; binds variables on the way, also when it then fails. */
function assign(subs: Substitutions, from: CelType, to: CelType): boolean {
  if (to.kind === 'param') {
    const outcome = bind(subs, from, to);
    if (outcome !== 'unbound') return outcome === 'bound';
  }
  if (from.kind === 'param') return bind(subs, to, from) === 'bound';
  if (isDynOrError(from) || isDynOrError(to)) return true;
  if (from.kind === 'null') return nullable.has(to.kind);
  if (to.kind === 'null') return nullable.has(from.kind);
  if (from.kind !== to.kind) return false;
  if (from.kind === 'type') return true;
  if (from.name !== to.name) return false;
  return assignAll(subs, from.params, to.params);
}

function assignAll(subs: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, index) => assign(subs, type, to[index] ?? types.dyn));
}

/** Tries to let `variable` stand for `type`. `unbound` means that it has no meaning yet and may not take this one. */
function bind(subs: Substitutions, type: CelType, variable: CelType): 'bound' | 'refused' | 'unbound' {
  if (sameType(type, variable)) return 'bound';
  const known = subs.get(variable.name);
  if (known) {
    if (sameType(type, known)) return 'bound';
    if (!assign(subs, type, known)) return 'refused';
    const general = mostGeneral(type, known);
    if (!occurs(subs, variable, general)) subs.set(variable.name, general);
    return 'bound';
  }
  if (occurs(subs, variable, type)) return 'unbound';
  subs.set(variable.name, type);
  return 'bound';
}

function occurs(subs: Substitutions, variable: CelType, within: CelType): boolean {
  if (sameType(variable, within)) return true;
  if (within.kind === 'param') {
    const known = subs.get(within.name);
    return known !== undefined && occurs(subs, variable, known);
  }
  return within.params.some((param) => occurs(subs, variable, param));
}

/** The more general of two types that unify. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (a.kind === 'dyn' || a.kind === 'param') return true;
  if (b.kind === 'dyn' || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isEqualOrLessSpecific(param, b.params[index] ?? types.dyn));
}

/** As {@link assign} over pairs; answers the new substitutions, or undefined when some pair does not fit. */
export function unifyAll(
  subs: Substitutions,
  from: readonly CelType[],
  to: readonly CelType[],
): Substitutions | undefined {
  const copy = new Map(subs);
  return assignAll(copy, from, to) ? copy : undefined;
}

/** Replaces bound variables; free ones become `dyn` when `freeToDyn`. */
export function substitute(subs: Substitutions, type: CelType, freeToDyn: boolean): CelType {
  if (type.kind === 'param') {
    const known = subs.get(type.name);
    if (known) return substitute(subs, known, freeToDyn);
    return freeToDyn ? types.dyn : type;
  }
  if (type.params.length === 0) return type;
  const [first = types.dyn, second = types.dyn] = type.params.map((param) => substitute(subs, param, freeToDyn));
  if (type.kind === 'list') return listOf(first);
  if (type.kind === 'map') return mapOf(first, second);
  if (type.kind === 'type') return typeOf(first);
  return { kind: type.kind, name: type.name, params: type.params.map((param) => substitute(subs, param, freeToDyn)) };
}
