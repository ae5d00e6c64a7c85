import { isObject, sameJson } from '../../json.ts';
import type { SchemaNode } from '../../node.ts';
import { CelError } from '../values/errors.ts';
import { parseDuration, parseTimestamp, timestampOf } from '../values/time.ts';
import { CelDouble, intOf, RawJson, type Value } from '../values/value.ts';
import { withObjectMeta } from './decl-type.ts';
import { escapeName } from './escape.ts';
import { JsonList, MapList, SetList } from './json-list.ts';
import { type Field, type Fields, JsonMap, JsonObject, noFields } from './json-object.ts';
import type { Reader } from './reader.ts';

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
      return (json) => (isNumber(json) ? new CelDouble(Number(json)) : refuse('float', json));
    case 'integer':
      return (json) => (isInteger(json) ? toInt(json) : refuse('int', json));
    case 'boolean':
      return (json) => (typeof json === 'boolean' ? json : refuse('bool', json));
    default:
      return (json) => new RawJson(json, sameJson);
  }
}

/** Whole numbers beyond 2^53 are given as `bigint`. */
function isNumber(json: unknown): json is number | bigint {
  return typeof json === 'number' || typeof json === 'bigint';
}

function isInteger(json: unknown): json is number | bigint {
  return typeof json === 'bigint' || Number.isInteger(json);
}

function toInt(json: number | bigint): Value {
  return typeof json === 'number' && Number.isSafeInteger(json) ? json + 0 : intOf(BigInt(json));
}

function refuse(wanted: string, json: unknown): never {
  throw new CelError(`invalid data, expected ${wanted}, got ${goType(json)}`);
}

function goType(json: unknown): string {
  if (isNumber(json)) return isInteger(json) ? 'int64' : 'float64';
  if (typeof json === 'boolean') return 'bool';
  if (typeof json === 'string') return 'string';
  return Array.isArray(json) ? '[]interface {}' : 'map[string]interface {}';
}

function readIntOrString(json: unknown): Value {
  if (typeof json === 'string') return json;
  if (isInteger(json)) return toInt(json);
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
  return timestampOf(parsed.seconds, parsed.nanos, parsed.zone);
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
