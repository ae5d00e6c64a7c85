import { isObject, own, sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { Deref } from './reference.ts';

/**
 * A value beside the one stored before it (`spec/embedded.md` §1.11, ratcheting): errors of a part that did not change
 * are not held against an update. Fields are matched by name, items only in lists of type `map`, by their keys.
 */
export class Correlation {
  readonly #node: SchemaNode;
  readonly #value: unknown;
  readonly #old: unknown;
  readonly #deref: Deref;
  #equal: boolean | undefined;

  constructor(node: SchemaNode, value: unknown, old: unknown, deref: Deref) {
    this.#node = deref(node);
    this.#value = value;
    this.#old = old;
    this.#deref = deref;
  }

  /**
   * Whether nothing changed, as far as the schema reaches: an object with fields the schema does not know counts as
   * changed, and a list map in another order does not.
   */
  get unchanged(): boolean {
    this.#equal ??= this.#compare(this.#value, this.#old);
    return this.#equal;
  }

  #compare(value: unknown, old: unknown): boolean {
    if (Array.isArray(value) && Array.isArray(old)) return value.length === old.length && this.#sameItems(value, old);
    if (!isObject(value) || !isObject(old)) return sameJson(value, old);
    const names = Object.keys(value).filter((name) => value[name] !== undefined);
    const before = Object.keys(old).filter((name) => old[name] !== undefined);
    return names.length === before.length && names.every((name) => this.field(name)?.unchanged);
  }

  #sameItems(value: readonly unknown[], old: readonly unknown[]): boolean {
    if (this.#node['x-kubernetes-list-type'] !== 'map') return sameJson(value, old);
    return value.every((_, index) => this.item(index)?.unchanged);
  }

  field(name: string): Correlation | undefined {
    const old = isObject(this.#old) ? own(this.#old, name) : undefined;
    const value = isObject(this.#value) ? own(this.#value, name) : undefined;
    const { properties, additionalProperties } = this.#node;
    const node = (properties && own(properties, name)) ?? additionalProperties;
    if (old === undefined || value === undefined || typeof node !== 'object') return undefined;
    return new Correlation(node, value, old, this.#deref);
  }

  item(index: number): Correlation | undefined {
    const { items } = this.#node;
    if (this.#node['x-kubernetes-list-type'] !== 'map' || !items) return undefined;
    if (!Array.isArray(this.#value) || !Array.isArray(this.#old)) return undefined;
    const value: unknown = this.#value[index];
    const keys = this.#node['x-kubernetes-list-map-keys'] ?? [];
    const old: unknown = this.#old.find((candidate) => sameKeys(candidate, value, keys));
    return old === undefined ? undefined : new Correlation(items, value, old, this.#deref);
  }
}

/** Items correspond when all their keys are set, are scalars and equal. */
function sameKeys(a: unknown, b: unknown, keys: readonly string[]): boolean {
  if (!isObject(a) || !isObject(b)) return false;
  return keys.every((key) => {
    const value = own(a, key);
    return value !== undefined && value !== null && typeof value !== 'object' && value === own(b, key);
  });
}
