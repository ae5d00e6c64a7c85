import { deepEqual, listKeysOf, sameElement, sameQuantity } from '../core/index.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Whether `after` differs from `before` only where `body`, the body of a merge, strategic or apply patch, says so.
 * List elements with a key are compared one by one; quantities by amount. It errs towards `false`: what the server added
 * of itself beside what the body says is a difference.
 * @param whole `body` is the whole value: what it leaves out was meant to go
 */
export function explains(before: unknown, after: unknown, body: unknown, whole = false): boolean {
  if (deepEqual(before, after)) return true;
  if (body === undefined) return whole && after === undefined;
  if (body === null) return after === undefined || after === null;
  if (Array.isArray(body)) return explainsList(before, after, body, whole);
  if (!isFields(body)) return after === body || sameQuantity(after, body);
  // The server may leave out what has become empty.
  const now = after ?? {};
  if (!isFields(now)) return false;
  const old = isFields(before) ? before : {};
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].every((name) => explains(old[name], now[name], body[name], whole));
}

function explainsList(before: unknown, after: unknown, body: readonly unknown[], whole: boolean): boolean {
  if (deepEqual(after, body)) return true;
  if (after === undefined) return body.length === 0;
  if (!Array.isArray(after)) return false;
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const now: readonly unknown[] = after;
  const all = [...old, ...now, ...body];
  if (!all.some((item) => typeof item === 'object')) return !whole && explainsSet(old, now, body);
  const keys = listKeysOf(all);
  if (!keys || hasTwins(old, keys) || hasTwins(now, keys)) return false;
  return explainsElements(old, now, body, keys, whole);
}

/** A list of scalars that is a set: only what the body says came to it. */
function explainsSet(old: readonly unknown[], now: readonly unknown[], body: readonly unknown[]): boolean {
  const kept = now.filter((item) => old.includes(item));
  return deepEqual(kept, old) && now.every((item) => old.includes(item) || body.includes(item));
}

function explainsElements(
  old: readonly unknown[],
  now: readonly unknown[],
  body: readonly unknown[],
  keys: readonly string[],
  whole: boolean,
): boolean {
  const same = (items: readonly unknown[], item: unknown) => items.find((other) => sameElement(other, item, keys));
  const meant = (item: unknown) => body.find((other) => sameElement(item, other, keys));
  const stayed = old.filter((item) => same(now, item) !== undefined);
  const kept = now.filter((item) => same(old, item) !== undefined);
  const inOrder = stayed.every((item, i) => sameElement(kept[i], item, keys));
  return (
    inOrder &&
    now.every((item) => explains(same(old, item), item, meant(item), whole)) &&
    old.every((item) => same(now, item) !== undefined || explains(item, undefined, meant(item), whole))
  );
}

/** Whether the keys do not tell all elements apart. */
function hasTwins(items: readonly unknown[], keys: readonly string[]): boolean {
  const seen = items.map((item) => JSON.stringify(keys.map((key) => (isFields(item) ? item[key] : undefined))));
  return new Set(seen).size < seen.length;
}
