import { own, sameJson } from '../../json.ts';
import { noSuchOverload } from '../values/errors.ts';
import { CelMap } from '../values/map.ts';
import type { Value } from '../values/value.ts';
import { unescapeName } from './escape.ts';
import type { Reader } from './reader.ts';

export interface Field {
  readonly name: string;
  readonly escaped: string;
  readonly read: Reader;
}

/** The fields of an object type, by both of their names. */
export interface Fields {
  readonly byEscaped: ReadonlyMap<string, Field>;
  readonly byName: ReadonlyMap<string, Field>;
}

export const noFields: Fields = { byEscaped: new Map(), byName: new Map() };

/** An object with declared fields. A null field is a missing one. */
export class JsonObject extends CelMap {
  readonly #json: Readonly<Record<string, unknown>>;
  readonly #fields: Fields;

  constructor(json: Readonly<Record<string, unknown>>, fields: Fields) {
    super();
    this.#json = json;
    this.#fields = fields;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    const field = this.#fields.byEscaped.get(key) ?? this.#unescaped(key);
    if (!field) return undefined;
    const json = own(this.#json, field.name);
    return json === undefined || json === null ? undefined : field.read(json);
  }

  #unescaped(key: string): Field | undefined {
    const name = unescapeName(key);
    return name === undefined ? undefined : this.#fields.byName.get(name);
  }

  *keys(): Iterable<Value> {
    for (const name of Object.keys(this.#json)) {
      const field = this.#fields.byName.get(name);
      if (field) yield field.escaped;
    }
  }

  /** Fields that no schema describes count as well. */
  override compare(other: CelMap, same: (a: Value, b: Value) => boolean): boolean {
    if (this.size !== other.size) return false;
    for (const [name, json] of Object.entries(this.#json)) {
      const field = this.#fields.byName.get(name);
      if (field) {
        const mine = this.find(field.escaped);
        const theirs = other.find(field.escaped);
        if (mine === undefined || theirs === undefined) {
          if (mine !== theirs) return false;
        } else if (!same(mine, theirs)) return false;
      } else if (other instanceof JsonObject && Object.hasOwn(other.#json, name)) {
        if (!sameJson(json, other.#json[name])) return false;
      }
    }
    return true;
  }
}

/** An object whose keys are data. */
export class JsonMap extends CelMap {
  readonly #json: Readonly<Record<string, unknown>>;
  readonly #read: Reader;

  constructor(json: Readonly<Record<string, unknown>>, read: Reader) {
    super();
    this.#json = json;
    this.#read = read;
  }

  get size(): number {
    return Object.keys(this.#json).length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') throw noSuchOverload();
    return Object.hasOwn(this.#json, key) ? this.#read(this.#json[key]) : undefined;
  }

  keys(): Iterable<Value> {
    return Object.keys(this.#json);
  }
}
