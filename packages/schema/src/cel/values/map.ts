import { CelDouble, CelUint, type Value } from './value.ts';

/** What identifies a key: numbers that are equal across types are one key. */
export type MapKey = string | number | bigint | boolean;

/** The identity of a key; undefined when no map has it. */
export function mapKey(value: Value): MapKey | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      break;
  }
  if (value instanceof CelUint) {
    return value.value <= 9007199254740991n ? Number(value.value) : value.value;
  }
  if (value instanceof CelDouble && Number.isInteger(value.value)) {
    return Number.isSafeInteger(value.value) ? value.value + 0 : BigInt(value.value);
  }
  return undefined;
}

/** A map, or an object with fields. */
export abstract class CelMap {
  abstract readonly size: number;

  /** The value at a key; undefined when there is none. */
  abstract find(key: Value): Value | undefined;

  abstract keys(): Iterable<Value>;

  compare(other: CelMap, equal: (a: Value, b: Value) => boolean): boolean {
    if (this.size !== other.size) return false;
    for (const key of this.keys()) {
      const mine = this.find(key);
      const theirs = other.find(key);
      if (mine === undefined || theirs === undefined || !equal(mine, theirs)) return false;
    }
    return true;
  }
}

export class EntryMap extends CelMap {
  readonly #entries: ReadonlyMap<MapKey, readonly [key: Value, value: Value]>;

  constructor(entries: ReadonlyMap<MapKey, readonly [key: Value, value: Value]>) {
    super();
    this.#entries = entries;
  }

  get size(): number {
    return this.#entries.size;
  }

  find(key: Value): Value | undefined {
    const id = mapKey(key);
    return id === undefined ? undefined : this.#entries.get(id)?.[1];
  }

  *keys(): Iterable<Value> {
    for (const [key] of this.#entries.values()) yield key;
  }
}
