import { fieldError } from '../field-error.ts';
import { isObject, own, sameJson } from '../json.ts';
import type { FieldError, SchemaNode } from '../node.ts';
import { marshalJson } from './go-text.ts';
import { containsNode, type Deref } from './reference.ts';

/** Looks for repeated items. Without `errors` it stops at the first; answers whether all is well. */
type Walk = (value: unknown, path: string, errors: FieldError[] | undefined) => boolean;

const keyless = Symbol('an item without the key');
/** Up to this length comparing each with each is faster than a set. */
const shortList = 12;

/** Uniqueness of lists of type `set` (whole items) and `map` (their keys); undefined when the schema has none. */
export class ListTypes {
  readonly #deref: Deref;
  readonly #walks = new WeakMap<SchemaNode, Walk | undefined>();

  constructor(deref: Deref) {
    this.#deref = deref;
  }

  walk(reference: SchemaNode): Walk | undefined {
    const node = this.#deref(reference);
    if (this.#walks.has(node)) return this.#walks.get(node);
    const walk = containsNode(node, this.#deref, isUnique) ? this.#compile(node) : undefined;
    this.#walks.set(node, walk);
    return walk;
  }

  #compile(node: SchemaNode): Walk {
    let list: Walk | undefined;
    let object: Walk | undefined;
    return (value, path, errors) => {
      if (Array.isArray(value)) {
        list ??= this.#list(node);
        return list(value, path, errors);
      }
      if (typeof value !== 'object' || value === null) return true;
      object ??= this.#object(node);
      return object(value, path, errors);
    };
  }

  #object(node: SchemaNode): Walk {
    const { properties = {}, additionalProperties } = node;
    const unnamed = typeof additionalProperties === 'object' ? this.walk(additionalProperties) : undefined;
    const named = Object.entries(properties).flatMap(([name, child]) => {
      const walk = this.walk(child);
      return walk ? [{ name, walk }] : [];
    });
    return (value, path, errors) => {
      const fields = value as Record<string, unknown>;
      let valid = unnamed ? walkValues(unnamed, fields, path, errors) : true;
      if (!valid && !errors) return false;
      for (const { name, walk } of named) {
        const child = own(fields, name);
        if (child === undefined) continue;
        valid = walk(child, errors ? join(path, name) : '', errors) && valid;
        if (!valid && !errors) return false;
      }
      return valid;
    };
  }

  #list(node: SchemaNode): Walk {
    const item = node.items && this.walk(node.items);
    const unique = uniqueWalk(node);
    return (value, path, errors) => {
      let valid = unique?.(value, path, errors) ?? true;
      if (!item) return valid;
      for (const [index, child] of (value as readonly unknown[]).entries()) {
        if (!valid && !errors) return false;
        valid = item(child, errors ? `${path}[${index}]` : '', errors) && valid;
      }
      return valid;
    };
  }
}

function walkValues(
  walk: Walk,
  fields: Record<string, unknown>,
  path: string,
  errors: FieldError[] | undefined,
): boolean {
  let valid = true;
  for (const name in fields) {
    valid = walk(fields[name], errors ? `${path}[${name}]` : '', errors) && valid;
    if (!valid && !errors) return false;
  }
  return valid;
}

function isUnique(node: SchemaNode): boolean {
  return node['x-kubernetes-list-type'] === 'set' || node['x-kubernetes-list-type'] === 'map';
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function uniqueWalk(node: SchemaNode): Walk | undefined {
  const type = node['x-kubernetes-list-type'];
  if (type === 'set') return (value, path, errors) => unique(value as unknown[], path, errors);
  if (type !== 'map') return undefined;
  const keys = node['x-kubernetes-list-map-keys'] ?? [];
  return (value, path, errors) => uniqueKeys(value as unknown[], keys, path, errors);
}

function unique(list: readonly unknown[], path: string, errors: FieldError[] | undefined): boolean {
  if (!hasRepeats(list)) return true;
  for (const index of errors ? firstRepeats(list) : []) {
    errors?.push(fieldError.duplicate(`${path}[${index}]`, list[index]));
  }
  return false;
}

function uniqueKeys(
  list: readonly unknown[],
  keys: readonly string[],
  path: string,
  errors: FieldError[] | undefined,
): boolean {
  const odd = list.findIndex((item) => item !== null && !isObject(item));
  if (odd >= 0) {
    errors?.push(fieldError.invalid(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map'));
    return false;
  }
  if (list.length <= shortList && !repeatsKeys(list, keys)) return true;
  const values = list.map((item) => keysOf(item, keys));
  if (!hasRepeats(values)) return true;
  for (const index of errors ? firstRepeats(values) : []) {
    errors?.push(fieldError.duplicate(`${path}[${index}]`, values[index]));
  }
  return false;
}

/** The item's keys alone, as they are shown when they repeat. */
function keysOf(item: unknown, keys: readonly string[]): Record<string, unknown> {
  const fields = isObject(item) ? item : {};
  return Object.fromEntries(keys.flatMap((key) => (Object.hasOwn(fields, key) ? [[key, fields[key]]] : [])));
}

function repeatsKeys(list: readonly unknown[], keys: readonly string[]): boolean {
  for (let i = 1; i < list.length; i++) {
    for (let j = 0; j < i; j++) if (sameKeys(list[i], list[j], keys)) return true;
  }
  return false;
}

function sameKeys(a: unknown, b: unknown, keys: readonly string[]): boolean {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] ?? '';
    if (keyOf(a, key) !== keyOf(b, key)) return false;
  }
  return true;
}

function keyOf(item: unknown, key: string): unknown {
  const value = isObject(item) ? own(item, key) : undefined;
  if (value === undefined) return keyless;
  return typeof value === 'object' && value !== null ? marshalJson(value) : value;
}

function hasRepeats(list: readonly unknown[]): boolean {
  if (list.length > shortList) return firstRepeats(list).length > 0;
  for (let i = 1; i < list.length; i++) {
    for (let j = 0; j < i; j++) if (sameJson(list[i], list[j])) return true;
  }
  return false;
}

/** For every value that occurs more than once, the index of its second occurrence. */
function firstRepeats(list: readonly unknown[]): readonly number[] {
  const times = new Map<unknown, number>();
  const found: number[] = [];
  for (const [index, item] of list.entries()) {
    const key = typeof item === 'object' && item !== null ? `\u0000${marshalJson(item)}` : item;
    const seen = times.get(key) ?? 0;
    if (seen === 1) found.push(index);
    times.set(key, seen + 1);
  }
  return found;
}
