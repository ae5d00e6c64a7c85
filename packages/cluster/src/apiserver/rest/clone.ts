import type { MutableJson } from '@coxswain/k8s';
import { stringifyJson } from '@coxswain/runtime/client';
import { cloneJson, deepEqual } from '@coxswain/runtime/core';
import { put } from '../patch/index.ts';

/** A private copy of an object, ready to be changed. */
export function draftOf(object: object): MutableJson {
  return cloneJson(object) as MutableJson;
}

/** Whether the value is a JSON object (not an array, not null). */
export function isObject(value: unknown): value is MutableJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any given value as part of an error text: strings as they are, the rest as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (stringifyJson(value) ?? '');
}

/** Takes fields that are `null` out of a draft, all the way down: to typed kinds they mean "not set". */
export function dropNulls(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) dropNulls(item);
    return;
  }
  const fields = value as MutableJson;
  for (const key of Object.keys(fields)) {
    if (fields[key] === null) delete fields[key];
    else dropNulls(fields[key]);
  }
}

/** Deep equality of two objects, without the fields named in `except`. */
export function sameFields(a: MutableJson, b: MutableJson, except: readonly string[]): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (!except.includes(key) && !deepEqual(own(a, key), own(b, key))) return false;
  }
  return true;
}

function own(object: MutableJson, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * What of an object somebody gave: without the `null` (and at the top the `''`) that a typed kind fills in by itself. `given` is the
 * object as it came, whose own empty lists count. Parts that lose nothing are shared.
 */
export function withoutFiller(object: MutableJson, given: unknown): MutableJson {
  const before = isObject(given) ? given : {};
  const stripped = fieldsWithoutNulls(object, before);
  const fillers = Object.keys(stripped).filter((key) => stripped[key] === '' && before[key] === undefined);
  if (fillers.length === 0) return stripped;
  return Object.fromEntries(Object.entries(stripped).filter(([key]) => !fillers.includes(key)));
}

function withoutNulls(value: unknown, given: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? itemsWithoutNulls(value, given) : fieldsWithoutNulls(value as MutableJson, given);
}

function itemsWithoutNulls(items: readonly unknown[], given: unknown): readonly unknown[] {
  const before: readonly unknown[] = Array.isArray(given) ? given : [];
  let out: unknown[] | undefined;
  for (let i = 0; i < items.length; i++) {
    const kept = withoutNulls(items[i], before[i]);
    if (kept === items[i]) continue;
    out ??= [...items];
    out[i] = kept;
  }
  return out ?? items;
}

function fieldsWithoutNulls(fields: MutableJson, given: unknown): MutableJson {
  const before = isObject(given) ? given : {};
  let out: MutableJson | undefined;
  for (const key of Object.keys(fields)) {
    const part = fields[key];
    if (typeof part !== 'object') continue;
    const kept = part === null ? (Array.isArray(before[key]) ? [] : undefined) : withoutNulls(part, before[key]);
    if (kept === part) continue;
    out ??= { ...fields };
    if (part === null && kept === undefined) delete out[key];
    else put(out, key, kept);
  }
  return out ?? fields;
}
