import type { Random } from '@coxswain/runtime/core';
import { chance, pick, upTo } from './draw.ts';
import { mutateText } from './mutate-text.ts';

/** Values that have broken servers before: limits of numbers, empty and odd texts, names of JavaScript's own properties. */
const odd: readonly unknown[] = [
  null,
  '',
  ' ',
  0,
  -1,
  1.5,
  1e308,
  -0,
  2 ** 31,
  2 ** 53,
  true,
  false,
  [],
  {},
  [null],
  { '': '' },
  '__proto__',
  'constructor',
  'a'.repeat(300),
  'é\u0000\ud800',
  '9999999999999999999',
  '1e400',
  '-1m',
  '0001-01-01T00:00:00Z',
  '99999-99-99T99:99:99Z',
  '300h',
  '::1',
  '10.0.0.0/99',
  '(((((((((a*)*)*)*)*)*)*)*)*)$',
  'self.x.all(a, self.x.all(b, a == b))',
  'self == oldSelf && size(self) / 0 > 1',
  { $patch: 'replace' },
  { '$setElementOrder/containers': [{ name: 'x' }] },
  { $retainKeys: ['x'] },
  { 'f:metadata': {} },
];

function deep(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

/** A long list of the values of one, each told apart by a number where it has a place for it. */
function many(values: readonly unknown[], random: Random): unknown[] {
  return Array.from({ length: upTo(2_000, random) }, (_, index) => {
    const value = values[index % values.length];
    if (!isContainer(value) || Array.isArray(value)) return typeof value === 'string' ? `${value}${index}` : value;
    return { ...value, ...(typeof value['name'] === 'string' ? { name: `${value['name']}${index}` } : {}) };
  });
}

type Container = Record<string, unknown> | unknown[];

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

/** A random place in a value: a container and one of its keys. */
function placeIn(value: Container, random: Random): { readonly at: Container; readonly key: string } | undefined {
  let at = value;
  for (;;) {
    const keys = Object.keys(at);
    if (keys.length === 0) return undefined;
    const key = pick(keys, random);
    const below = Reflect.get(at, key);
    if (!isContainer(below) || chance(0.3, random)) return { at, key };
    at = below;
  }
}

/** Changes one place of a JSON value, in place; answers the value, or another when it is not a container. */
export function mutateJson(value: unknown, other: unknown, random: Random): unknown {
  if (!isContainer(value)) return pick(odd, random);
  const place = placeIn(value, random);
  if (!place) return pick(odd, random);
  const { at, key } = place;
  const before = Reflect.get(at, key);
  const set = (name: string, next: unknown) => Object.defineProperty(at, name, { value: next, ...plain });
  const moves: (() => void)[] = [
    () => set(key, pick(odd, random)),
    () => set(key, deep(upTo(700, random))),
    () => Reflect.deleteProperty(at, key),
    () => set(`${key}x`, before),
    () => set('__proto__', before),
    () => set(key, other),
    () => set(key, [before, before]),
    () => set(key, { [key]: before }),
    () => Array.isArray(before) && before.push(...before, pick(odd, random)),
    () => Array.isArray(before) && set(key, many(before, random)),
    () => typeof before === 'string' && set(key, mutateText(before, random)),
    () => typeof before === 'string' && set(key, mutateText(before, random)),
    () => typeof before === 'number' && set(key, before * pick([-1, 0.5, 1e12, 1e300], random)),
  ];
  pick(moves, random)();
  return value;
}

const plain = { enumerable: true, configurable: true, writable: true };
