import type { MutableJson } from '@coxswain/k8s';

/** A JSON object that is only read: a stored object or a part of one. */
export type ReadJson = Readonly<Record<string, unknown>>;

/**
 * Reading and filling of drafts whose fields may hold anything: defaulting runs before the schema check, so a field of
 * the wrong type is left alone here and reported there.
 */
export function isObject(value: unknown): value is MutableJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object at `key`, or `undefined`. */
export function objectAt(parent: ReadJson | undefined, key: string): MutableJson | undefined {
  const value = parent?.[key];
  return isObject(value) ? value : undefined;
}

/** The object at `key`, made when absent. A value of another type is left, and a detached object answered. */
export function ensureObject(parent: MutableJson, key: string): MutableJson {
  const value = parent[key];
  if (isObject(value)) return value;
  const made: MutableJson = {};
  if (value === undefined || value === null) parent[key] = made;
  return made;
}

/** The objects in the list at `key`; entries of other types are skipped. */
export function objectsAt(parent: ReadJson | undefined, key: string): readonly MutableJson[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** The list at `key`, empty when absent or no list. */
export function listAt(parent: ReadJson | undefined, key: string): readonly unknown[] {
  const value = parent?.[key];
  return Array.isArray(value) ? value : [];
}

/** The string at `key`; `''` when absent or no string. */
export function textAt(parent: ReadJson | undefined, key: string): string {
  const value = parent?.[key];
  return typeof value === 'string' ? value : '';
}

/** The number at `key`, or `undefined`. */
export function numberAt(parent: ReadJson | undefined, key: string): number | undefined {
  const value = parent?.[key];
  return typeof value === 'bigint' ? Number(value) : typeof value === 'number' ? value : undefined;
}

/** The strings of the map at `key`. */
export function mapAt(parent: ReadJson | undefined, key: string): Readonly<Record<string, string>> {
  const value = objectAt(parent, key);
  if (!value) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** Sets a field that is absent (or null): the rule for optional values. */
export function fill(parent: MutableJson, key: string, value: unknown): void {
  if (parent[key] === undefined || parent[key] === null) parent[key] = value;
}

/** Sets a field that is absent or holds its zero value (`''`, 0): the rule for plain values. */
export function fillZero(parent: MutableJson, key: string, value: unknown): void {
  const present = parent[key];
  if (present === undefined || present === null || present === '' || present === 0) parent[key] = value;
}

/** Whether an optional value counts as given. */
export function given(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Deep equality of JSON values; an absent field equals `undefined`. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => sameJson(item, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  for (const key of Object.keys(a)) if (!sameJson(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && a[key] === undefined) return false;
  return true;
}

/** A deep, mutable copy of a JSON value. */
export { cloneJson as copyJson } from '@coxswain/runtime/core';
