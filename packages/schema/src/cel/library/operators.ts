import { operators } from '../syntax/ast.ts';
import { type Overload, overload } from '../types/overload.ts';
import { add, divide, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { compare, equal } from '../values/compare.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { boolean } from './arguments.ts';

/** Operators that the evaluator works out itself, as they do not need all their operands. */
const built = (): never => {
  throw new CelError('no such overload');
};

/** Whether a list has an item, or a map a key. */
export function contains(item: Value, container: Value): boolean {
  if (container instanceof CelMap) return container.find(item) !== undefined;
  if (!(container instanceof CelList)) throw noSuchOverload();
  for (let index = 0; index < container.size; index += 1) {
    if (equal(item, container.at(index))) return true;
  }
  return false;
}

const comparable = ['bool', 'int', 'uint', 'double', 'string', 'bytes', 'timestamp', 'duration'] as const;
const crossed = [
  ['int', 'double'],
  ['int', 'uint'],
  ['uint', 'double'],
  ['uint', 'int'],
  ['double', 'int'],
  ['double', 'uint'],
] as const;
const sized: Readonly<Record<string, string>> = { int: 'int64', uint: 'uint64' };

function relation(name: string, prefix: string, holds: (order: number) => boolean): Overload[] {
  const invoke = (a: Value, b: Value) => holds(compare(a, b));
  const id = (type: string) => sized[type] ?? type;
  return [
    ...comparable.map((type) => overload(`${prefix}_${id(type)}`, `${name}(${type}, ${type}) -> bool`, invoke)),
    ...crossed.map(([a, b]) => overload(`${prefix}_${id(a)}_${id(b)}`, `${name}(${a}, ${b}) -> bool`, invoke)),
  ];
}

function arithmetic(
  name: string,
  prefix: string,
  invoke: (a: Value, b: Value) => Value,
  kinds: readonly string[],
): Overload[] {
  return kinds.map((type) =>
    overload(`${prefix}_${sized[type] ?? type}`, `${name}(${type}, ${type}) -> ${type}`, invoke),
  );
}

export const operatorOverloads: readonly Overload[] = [
  overload('conditional', `${operators.conditional}(bool, A, A) -> A`, built),
  overload('logical_and', `${operators.and}(bool, bool) -> bool`, built),
  overload('logical_or', `${operators.or}(bool, bool) -> bool`, built),
  overload('logical_not', `${operators.not}(bool) -> bool`, (a) => !boolean(a)),
  overload('not_strictly_false', `${operators.notStrictlyFalse}(bool) -> bool`, (a) => a !== false),
  overload('equals', `${operators.equals}(A, A) -> bool`, equal),
  overload('not_equals', `${operators.notEquals}(A, A) -> bool`, (a, b) => !equal(a, b)),
  ...arithmetic(operators.add, 'add', add, ['bytes', 'double', 'int', 'string', 'uint']),
  overload('add_duration_duration', '_+_(duration, duration) -> duration', add),
  overload('add_duration_timestamp', '_+_(duration, timestamp) -> timestamp', add),
  overload('add_timestamp_duration', '_+_(timestamp, duration) -> timestamp', add),
  overload('add_list', '_+_(list(A), list(A)) -> list(A)', add),
  ...arithmetic('_-_', 'subtract', subtract, ['double', 'int', 'uint']),
  overload('subtract_duration_duration', '_-_(duration, duration) -> duration', subtract),
  overload('subtract_timestamp_duration', '_-_(timestamp, duration) -> timestamp', subtract),
  overload('subtract_timestamp_timestamp', '_-_(timestamp, timestamp) -> duration', subtract),
  ...arithmetic('_*_', 'multiply', multiply, ['double', 'int', 'uint']),
  ...arithmetic('_/_', 'divide', divide, ['double', 'int', 'uint']),
  ...arithmetic('_%_', 'modulo', modulo, ['int', 'uint']),
  overload('negate_double', `${operators.negate}(double) -> double`, negate),
  overload('negate_int64', `${operators.negate}(int) -> int`, negate),
  ...relation('_<_', 'less', (order) => order < 0),
  ...relation('_<=_', 'less_equals', (order) => order <= 0),
  ...relation('_>_', 'greater', (order) => order > 0),
  ...relation('_>=_', 'greater_equals', (order) => order >= 0),
  overload('index_list', `${operators.index}(list(A), int) -> A`, built),
  overload('index_map', `${operators.index}(map(A, B), A) -> B`, built),
  overload('in_list', `${operators.in}(A, list(A)) -> bool`, contains),
  overload('in_map', `${operators.in}(A, map(A, B)) -> bool`, contains),
];
