import { deepEqual, isFields, listKeysOf, sameElement, sameQuantity } from '../core/index.ts';
import { stringifyJson } from './parse-json.ts';

const isNothing = (value: unknown): boolean => value === undefined || value === null;

/**
 * What a body means by what it says.
 * - `elements`: it adds to maps and, by their keys, to lists; a list without keys may be a set or replaced, nobody tells
 * - `lists`: it adds to maps and replaces lists
 * - `whole`: it is the whole value, and what it leaves out is meant to go
 */
export type Reach = 'elements' | 'lists' | 'whole';

/**
 * Whether `after` differs from `before` only where `body`, as it was sent in a write, says so. Quantities are compared by
 * amount. It errs towards `false`: what the server added of itself beside what the body says is a difference.
 */
export function explains(before: unknown, after: unknown, body: unknown, reach: Reach): boolean {
  // A null says no more than nothing does.
  if (deepEqual(before ?? undefined, after ?? undefined)) return true;
  if (body === undefined) return reach === 'whole' && isNothing(after);
  if (body === null) return isNothing(after);
  if (Array.isArray(body)) return explainsList(before, after, body, reach);
  // The server may leave out what is zero, and what has become empty.
  if (!isFields(body)) return deepEqual(after, body) || sameQuantity(after, body) || (isNothing(after) && !body);
  const now = after ?? {};
  if (!isFields(now)) return false;
  const old = isFields(before) ? before : {};
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].every((name) => explains(old[name], now[name], body[name], reach));
}

function explainsList(before: unknown, after: unknown, body: readonly unknown[], reach: Reach): boolean {
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const now: unknown = after ?? [];
  if (!Array.isArray(now)) return false;
  if ((reach !== 'elements' || old.length === 0) && deepEqual(now, body)) return true;
  const all = [...old, ...now, ...body];
  if (!all.some((item) => typeof item === 'object')) return reach === 'elements' && explainsSet(old, now, body);
  const keys = listKeysOf(all);
  if (!keys || hasTwins(old, keys) || hasTwins(now, keys)) return false;
  return explainsElements({ old, now, body, keys, reach });
}

/** A list of scalars that is a set: only what the body says came to it. */
function explainsSet(old: readonly unknown[], now: readonly unknown[], body: readonly unknown[]): boolean {
  const kept = now.filter((item) => old.includes(item));
  return deepEqual(kept, old) && now.every((item) => old.includes(item) || body.includes(item));
}

interface Elements {
  readonly old: readonly unknown[];
  readonly now: readonly unknown[];
  readonly body: readonly unknown[];
  readonly keys: readonly string[];
  readonly reach: Reach;
}

function explainsElements({ old, now, body, keys, reach }: Elements): boolean {
  const same = (items: readonly unknown[], item: unknown) => items.find((other) => sameElement(other, item, keys));
  const meant = (item: unknown) => body.find((other) => sameElement(item, other, keys));
  const stayed = old.filter((item) => same(now, item) !== undefined);
  const kept = now.filter((item) => same(old, item) !== undefined);
  const inOrder = stayed.every((item, i) => sameElement(kept[i], item, keys));
  return (
    inOrder &&
    now.every((item) => explains(same(old, item), item, meant(item), reach)) &&
    old.every((item) => same(now, item) !== undefined || explains(item, undefined, meant(item), reach))
  );
}

/** Whether the keys do not tell all elements apart. */
function hasTwins(items: readonly unknown[], keys: readonly string[]): boolean {
  const seen = items.map((item) => stringifyJson(keys.map((key) => (isFields(item) ? item[key] : undefined))));
  return new Set(seen).size < seen.length;
}
