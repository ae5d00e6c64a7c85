import { CelMap } from './map.ts';
import type { Value } from './value.ts';

/** A map whose values are worked out when they are first read. */
export class LazyMap extends CelMap {
  readonly #names: readonly string[];
  readonly #evaluate: (name: string) => Value;
  readonly #known = new Map<string, Value>();

  /** @param evaluate may throw CelError; it is asked again then */
  constructor(names: readonly string[], evaluate: (name: string) => Value) {
    super();
    this.#names = names;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#names.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string' || !this.#names.includes(key)) return undefined;
    let value = this.#known.get(key);
    if (value === undefined) {
      value = this.#evaluate(key);
      this.#known.set(key, value);
    }
    return value;
  }

  keys(): Iterable<Value> {
    return this.#names;
  }
}
