import type { Macro } from '../syntax/macros.ts';
import type { Library } from '../types/environment.ts';
import { type Overload, overload } from '../types/overload.ts';
import { compare } from '../values/compare.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelDouble, CelUint, intOf, maxUint, type Value } from '../values/value.ts';
import { bigint, double, integer } from './arguments.ts';

/** `math.greatest(a, b, …)`: one list, or any number of arguments. */
function extreme(name: '@max' | '@min', shown: string): Macro {
  return ({ target, offset }, args) => {
    if (target?.kind !== 'ident' || target.name !== 'math') return undefined;
    if (args.length === 0) return { offset: target.offset, error: `math.${shown}() requires at least one argument` };
    const items =
      args.length > 2 ? [{ kind: 'list' as const, offset, elements: args, optional: new Set<number>() }] : args;
    return { expr: { kind: 'call', offset, name: `math.${name}`, args: items } };
  };
}

const numeric = ['double', 'int', 'uint'] as const;

function pick(sign: 1 | -1, values: Iterable<Value>): Value {
  let best: Value | undefined;
  for (const value of values) if (best === undefined || compare(value, best) * sign > 0) best = value;
  if (best === undefined) throw new CelError(`math.@${sign > 0 ? 'max' : 'min'}(list) argument must not be empty`);
  return best;
}

function extremes(name: '@max' | '@min', sign: 1 | -1): Overload[] {
  const id = `math_${name}`;
  return [
    ...numeric.map((type) => overload(`${id}_${type}`, `math.${name}(${type}) -> ${type}`, (a) => a)),
    ...numeric.flatMap((a) =>
      numeric.map((b) =>
        overload(`${id}_${a}_${b}`, `math.${name}(${a}, ${b}) -> ${a === b ? a : 'dyn'}`, (x, y) => pick(sign, [x, y])),
      ),
    ),
    ...numeric.map((type) =>
      overload(`${id}_list_${type}`, `math.${name}(list(${type})) -> ${type}`, (items) => {
        if (!(items instanceof CelList)) throw noSuchOverload();
        return pick(sign, items);
      }),
    ),
  ];
}

function rounding(name: string, round: (value: number) => number): Overload {
  return overload(
    `math_${name}_double`,
    `math.${name}(double) -> double`,
    (value) => new CelDouble(round(double(value))),
  );
}

function test(name: string, holds: (value: number) => boolean): Overload {
  return overload(`math_${name}_double`, `math.${name}(double) -> bool`, (value) => holds(double(value)));
}

/** Halves away from zero. */
function round(value: number): number {
  return Number.isFinite(value) ? Math.trunc(value) + (Math.abs(value % 1) >= 0.5 ? Math.sign(value) : 0) : value;
}

function absolute(value: Value): Value {
  const number = bigint(value);
  return intOf(number < 0n ? -number : number);
}

function uint(value: Value): bigint {
  if (!(value instanceof CelUint)) throw noSuchOverload();
  return value.value;
}

function signOf(value: number): number {
  return Number.isNaN(value) ? value : Math.sign(value) + 0;
}

type Bits = (a: bigint, b: bigint) => bigint;

function bitwise(name: string, work: Bits): Overload[] {
  return [
    overload(`math_${name}_int_int`, `math.${name}(int, int) -> int`, (a, b) => intOf(work(bigint(a), bigint(b)))),
    overload(
      `math_${name}_uint_uint`,
      `math.${name}(uint, uint) -> uint`,
      (a, b) => new CelUint(work(uint(a), uint(b))),
    ),
  ];
}

function shift(name: string, work: Bits): Overload[] {
  const by = (count: Value) => {
    const bits = integer(count);
    if (bits < 0) throw new CelError(`math.${name}() negative offset: ${bits}`);
    return BigInt(Math.min(bits, 64));
  };
  return [
    overload(`math_${name}_int_int`, `math.${name}(int, int) -> int`, (a, b) => {
      return intOf(BigInt.asIntN(64, work(BigInt.asUintN(64, bigint(a)), by(b))));
    }),
    overload(`math_${name}_uint_int`, `math.${name}(uint, int) -> uint`, (a, b) => {
      return new CelUint(BigInt.asUintN(64, work(uint(a), by(b))));
    }),
  ];
}

/** The extension for numbers; Kubernetes does not have it. */
export const mathLibrary: Library = {
  macros: new Map([
    ['greatest/*/true', extreme('@max', 'greatest')],
    ['least/*/true', extreme('@min', 'least')],
  ]),
  overloads: [
    ...extremes('@max', 1),
    ...extremes('@min', -1),
    rounding('ceil', Math.ceil),
    rounding('floor', Math.floor),
    rounding('round', round),
    rounding('trunc', Math.trunc),
    test('isInf', (value) => Math.abs(value) === Number.POSITIVE_INFINITY),
    test('isNaN', Number.isNaN),
    test('isFinite', Number.isFinite),
    overload('math_abs_double', 'math.abs(double) -> double', (value) => new CelDouble(Math.abs(double(value)))),
    overload('math_abs_int', 'math.abs(int) -> int', absolute),
    overload('math_abs_uint', 'math.abs(uint) -> uint', (value) => value),
    overload('math_sign_double', 'math.sign(double) -> double', (value) => new CelDouble(signOf(double(value)))),
    overload('math_sign_int', 'math.sign(int) -> int', (value) => signOf(integer(value))),
    overload('math_sign_uint', 'math.sign(uint) -> uint', (value) => new CelUint(uint(value) === 0n ? 0n : 1n)),
    ...bitwise('bitAnd', (a, b) => a & b),
    ...bitwise('bitOr', (a, b) => a | b),
    ...bitwise('bitXor', (a, b) => a ^ b),
    overload('math_bitNot_int_int', 'math.bitNot(int) -> int', (value) => intOf(~bigint(value))),
    overload('math_bitNot_uint_uint', 'math.bitNot(uint) -> uint', (value) => new CelUint(uint(value) ^ maxUint)),
    ...shift('bitShiftLeft', (a, b) => a << b),
    ...shift('bitShiftRight', (a, b) => a >> b),
    ...(['double', 'int', 'uint'] as const).map((type) =>
      overload(
        `math_sqrt_${type}`,
        `math.sqrt(${type}) -> double`,
        (value) => new CelDouble(Math.sqrt(asNumber(value))),
      ),
    ),
  ],
};

function asNumber(value: Value): number {
  if (value instanceof CelDouble) return value.value;
  return value instanceof CelUint ? Number(value.value) : integer(value);
}
