import { equal } from '../values/compare.ts';
import { noSuchOverload } from '../values/errors.ts';
import { ArrayList, CelList } from '../values/list.ts';
import { CelMap, type MapKey, mapKey } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { escapeName } from './escape.ts';
import type { Reader } from './reader.ts';

/** A list in JSON; its items are read when they are asked for. */
export class JsonList extends CelList {
  readonly #json: readonly unknown[];
  readonly #read: Reader;

  constructor(json: readonly unknown[], read: Reader) {
    super();
    this.#json = json;
    this.#read = read;
  }

  get size(): number {
    return this.#json.length;
  }

  override get strict(): boolean {
    return true;
  }

  at(index: number): Value {
    return this.#read(this.#json[index]);
  }
}

/** A list without order: equal when it has the same items, and `+` is the union. */
export class SetList extends JsonList {
  override compare(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const keys = new Set([...this].map(setKey));
    return [...other].every((item) => keys.has(setKey(item)));
  }

  override concat(other: CelList): CelList {
    const items = [...this];
    const keys = new Set(items.map(setKey));
    for (const item of other) {
      if (!keys.has(setKey(item))) items.push(item);
      keys.add(setKey(item));
    }
    return new ArrayList(items);
  }
}

function setKey(value: Value): MapKey {
  const key = mapKey(value);
  if (key !== undefined) return key;
  throw noSuchOverload();
}

/** A list of objects that are told apart by keys: order does not count, and `+` merges. */
export class MapList extends JsonList {
  readonly #keys: readonly string[];

  constructor(json: readonly unknown[], read: Reader, keys: readonly string[]) {
    super(json, read);
    this.#keys = keys;
  }

  override compare(other: CelList): boolean {
    if (this.size !== other.size) return false;
    const byKey = new Map([...this].map((item) => [this.#keyOf(item), item]));
    const seen = new Set<string>();
    for (const item of other) {
      const key = this.#keyOf(item);
      const mine = byKey.get(key);
      if (mine === undefined || !equal(mine, item)) return false;
      seen.add(key);
    }
    return seen.size === byKey.size;
  }

  override concat(other: CelList): CelList {
    const merged = new Map([...this].map((item) => [this.#keyOf(item), item]));
    for (const item of other) merged.set(this.#keyOf(item), item);
    return new ArrayList([...merged.values()]);
  }

  #keyOf(item: Value): string {
    if (!(item instanceof CelMap)) throw noSuchOverload();
    return JSON.stringify(this.#keys.map((key) => String(item.find(escapeName(key) ?? key) ?? null)));
  }
}
