import type { KubeObject } from '@coxswain/k8s';
import {
  keyString,
  matchesLabels,
  type ObjectKey,
  parseSelector,
  type Selector,
  selectorFromLabels,
} from '../core/index.ts';
import { builtInIndexes, Indexer } from './indexer.ts';
import type { Store } from './types.ts';

type ListOptions = NonNullable<Parameters<Store<KubeObject>['list']>[0]>;

/** Objects by key, with indexes. Knows nothing of versions or where objects come from. */
export class ObjectMap<T extends KubeObject> {
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Indexer<T>>();

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  values(): Iterable<T> {
    return this.#objects.values();
  }

  set(key: string, object: T): void {
    const previous = this.#objects.get(key);
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.set(key, object, previous);
  }

  delete(key: string): void {
    const previous = this.#objects.get(key);
    if (!previous) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.remove(key, previous);
  }

  clear(): void {
    this.#objects.clear();
    this.#indexes.clear();
  }

  /** Adding the same function under the same name again changes nothing. @throws Error when the name is taken by another index */
  addIndex(name: string, values: (object: T) => readonly string[]): void {
    if (this.#indexes.get(name)?.values === values) return;
    if (this.#indexes.has(name) || Object.hasOwn(builtInIndexes, name)) {
      throw new Error(`there is an index named "${name}" already`);
    }
    this.#build(name, values);
  }

  hasIndex(name: string): boolean {
    return this.#indexes.has(name) || Object.hasOwn(builtInIndexes, name);
  }

  /** A snapshot. @throws Error when there is no such index */
  by(name: string, value: string): readonly T[] {
    return [...(this.#index(name).find(value)?.values() ?? [])];
  }

  /** A snapshot of what is selected, found through the narrowest index that applies. */
  list(options: ListOptions = {}): readonly T[] {
    const { namespace, labels } = options;
    const selector =
      labels === undefined ? [] : typeof labels === 'string' ? parseSelector(labels) : selectorFromLabels(labels);
    const found: T[] = [];
    for (const object of this.#candidates(namespace, selector)) {
      if (namespace !== undefined && object.metadata.namespace !== namespace) continue;
      if (matchesLabels(selector, object.metadata.labels)) found.push(object);
    }
    return found;
  }

  #candidates(namespace: string | undefined, selector: Selector): Iterable<T> {
    const narrowed: (ReadonlyMap<string, T> | undefined)[] = [];
    if (namespace !== undefined) narrowed.push(this.#index('namespace').find(namespace));
    for (const { key, operator, values } of selector) {
      if (operator === 'in' && values.length === 1) narrowed.push(this.#labelIndex(key).find(values[0] ?? ''));
    }
    if (narrowed.length === 0) return this.#objects.values();
    const smallest = narrowed.reduce((a, b) => ((a?.size ?? 0) <= (b?.size ?? 0) ? a : b));
    return smallest?.values() ?? [];
  }

  #index(name: string): Indexer<T> {
    const index = this.#indexes.get(name);
    if (index) return index;
    const values = builtInIndexes[name];
    if (!values) throw new Error(`no index named "${name}": add it with addIndex first`);
    return this.#build(name, values);
  }

  /** Of one label only: an index of all takes three times as long to build, and nobody asks for most of them. */
  #labelIndex(label: string): Indexer<T> {
    const name = `label ${label}`;
    const valuesOf = ({ metadata: { labels } }: T): readonly string[] => {
      const value = labels?.[label];
      return value === undefined ? [] : [value];
    };
    return this.#indexes.get(name) ?? this.#build(name, valuesOf);
  }

  #build(name: string, values: (object: T) => readonly string[]): Indexer<T> {
    const index = new Indexer<T>(values);
    for (const [key, object] of this.#objects) index.set(key, object, undefined);
    this.#indexes.set(name, index);
    return index;
  }
}

/** Key of an object in an {@link ObjectMap}. */
export function mapKey(object: KubeObject | ObjectKey): string {
  return keyString('metadata' in object ? object.metadata : object);
}
