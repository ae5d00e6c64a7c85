import { isObject, own, sameJson } from '../../json.ts';
import type { SchemaNode } from '../../node.ts';
import { equal } from '../values/compare.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { ArrayList, CelList } from '../values/list.ts';
import { CelMap, type MapKey, mapKey } from '../values/map.ts';
import { parseDuration, parseTimestamp, timestampOf } from '../values/time.ts';
import { CelDouble, intOf, RawJson, type Value } from '../values/value.ts';
import { withObjectMeta } from './decl-type.ts';
import { escapeName, unescapeName } from './escape.ts';

/** Reads JSON as the value its schema makes it. @throws {CelError} when it does not fit the schema */
export type Reader = (json: unknown) => Value;

const readers = new WeakMap<SchemaNode, Reader>();

/** The reader of a node; objects and lists are read as far as an expression looks into them. */
export function readerOf(node: SchemaNode): Reader {
  let reader = readers.get(node);
  if (!reader) {
    const read = makeReader(node);
    reader = (json) => (json === null || json === undefined ? readNull(node) : read(json));
    readers.set(node, reader);
  }
  return reader;
}

const roots = new WeakMap<SchemaNode, Reader>();

/** As {@link readerOf}, for the root of a resource. */
export function rootReaderOf(node: SchemaNode): Reader {
  let reader = roots.get(node);
  if (!reader) {
    reader = readerOf(withObjectMeta(node));
    roots.set(node, reader);
  }
  return reader;
}

function readNull(node: SchemaNode): Value {
  if (node.nullable) return null;
  throw new CelError('invalid data, got null for schema with nullable=false');
}

function makeReader(node: SchemaNode): Reader {
  if (node['x-kubernetes-int-or-string']) return readIntOrString;
  switch (node.type) {
    case 'object':
      return objectReader(node);
    case 'array':
      return listReader(node);
    case 'string':
      return textReader(node);
    case 'number':
      return (json) => (typeof json === 'number' ? new CelDouble(json) : refuse('float', json));
    case 'integer':
      return (json) => (typeof json === 'number' && Number.isInteger(json) ? toInt(json) : refuse('int', json));
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : refuse('bool', json));
    default:
      return (json) => new RawJson(json, sameJson);
  }
}

function toInt(json: number): Value {
  return Number.isSafeInteger(json) ? json + 0 : intOf(BigInt(json));
}

function refuse(wanted: string, json: unknown): never {
  throw new CelError(`invalid data, expected ${wanted}, got ${goType(json)}`);
}

function goType(json: unknown): string {
  if (typeof json === 'number') return Number.isInteger(json) ? 'int64' : 'float64';
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'string') return 'string';
  return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
}

function readIntOrString(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (typeof json === 'number' && Number.isInteger(json)) return toInt(json);
  throw new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function textReader({ format }: SchemaNode): Reader {
  return (json) => {
    if (typeof json !== 'string') return refuse('string', json);
    switch (format) {
      case 'duration':
        return parseDuration(json) ?? unreadable(`Invalid duration ${json}`);
      case 'date':
        return parseTimestamp(`${json}T00:00:00Z`) ?? unreadable(`Invalid date formatted string ${json}`);
      case 'date-time':
        return readDateTime(json);
      case 'byte':
        return Buffer.from(json, 'base64');
      default:
        return json;
    }
  };
}

function unreadable(message: string): never {
  throw new CelError(message);
}

function readDateTime(json: string): Value {
  const parsed = parseTimestamp(json.replace(/[t ]/, 'T').replace(/z$/, 'Z'));
  if (!parsed) return unreadable(`Invalid date-time formatted string ${json}`);
  return timestampOf(parsed.seconds, parsed.nanos);
}

function listReader(node: SchemaNode): Reader {
  const { items } = node;
  if (!items) return () => unreadable('invalid array type, expected Items with a non-empty Schema');
  const read = readerOf(items);
  const keys = node['x-kubernetes-list-map-keys'] ?? [];
  return (json) => {
    if (!Array.isArray(json))
      return unreadable('invalid data, expected an array for the provided schema with type=array');
    switch (node['x-kubernetes-list-type']) {
      case 'map':
        return new MapList(json, read, keys);
      case 'set':
        return new SetList(json, read);
      default:
        return new JsonList(json, read);
    }
  };
}

/** A list in JSON; its items are read when they are asked for. */
class JsonList extends CelList {
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
class SetList extends JsonList {
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
class MapList extends JsonList {
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

function objectReader(node: SchemaNode): Reader {
  const whole = node['x-kubernetes-embedded-resource'] ? withObjectMeta(node) : node;
  const { properties, additionalProperties } = whole;
  const fields = properties && fieldReaders(properties);
  const values = !properties && typeof additionalProperties === 'object' ? readerOf(additionalProperties) : undefined;
  return (json) => {
    if (!isObject(json)) return unreadable('invalid data, expected a map for the provided schema with type=object');
    return values ? new JsonMap(json, values) : new JsonObject(json, fields ?? noFields);
  };
}

interface Field {
  readonly name: string;
  readonly escaped: string;
  readonly read: Reader;
}

interface Fields {
  readonly byEscaped: ReadonlyMap<string, Field>;
  readonly byName: ReadonlyMap<string, Field>;
}

const noFields: Fields = { byEscaped: new Map(), byName: new Map() };

function fieldReaders(properties: Readonly<Record<string, SchemaNode>>): Fields {
  const fields = Object.entries(properties).map(([name, property]): Field => {
    let read: Reader | undefined;
    return {
      name,
      escaped: escapeName(name) ?? name,
      // Made when a value first reaches it, so that large schemas cost nothing before.
      read: (json) => {
        read ??= readerOf(property);
        return read(json);
      },
    };
  });
  return {
    byEscaped: new Map(fields.map((field) => [field.escaped, field])),
    byName: new Map(fields.map((field) => [field.name, field])),
  };
}

/** An object with declared fields. A null field is a missing one. */
class JsonObject extends CelMap {
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
class JsonMap extends CelMap {
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
