import type { Json } from '@coxswain/k8s';
import { s } from '../builder/s.ts';
import type { Schema } from '../builder/schema.ts';
import { own, sameJson } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import { type Chain, literal, wide, word } from './code.ts';
import { schemaCode } from './schema-code.ts';

/** Which methods the builder of a value has, besides those that all have. */
export type Kind = 'string' | 'number' | 'list' | 'map' | 'object' | 'plain';

/** The word that a chain begins with. */
export interface Shape {
  readonly kind: Kind;
  readonly chain: Chain;
  /** What the word says by itself. */
  readonly says: SchemaNode;
  /** The word takes keywords as they are: those that no method says can go into it. */
  readonly raw?: { readonly type: string };
}

const words: readonly (readonly [string, Kind, Schema<unknown>])[] = [
  ['quantity', 'plain', s.quantity()],
  ['intOrString', 'plain', s.intOrString()],
  ['conditions', 'list', s.conditions()],
  ['objectMeta', 'map', s.objectMeta()],
  ['dateTime', 'string', s.dateTime()],
  ['duration', 'string', s.duration()],
  ['string', 'string', s.string()],
  ['int32', 'number', s.int32()],
  ['int64', 'number', s.int64()],
  ['int', 'number', s.int()],
  ['number', 'number', s.number()],
  ['boolean', 'plain', s.boolean()],
];

const openWords: readonly (readonly [string, Kind, Schema<unknown>])[] = [
  ['embeddedResource', 'map', s.embeddedResource()],
  ['anyObject', 'map', s.anyObject()],
];

const openObject = '{ readonly [name: string]: unknown }';

/** The word of the builder that says most about a value. */
export function shapeOf(node: SchemaNode): Shape {
  return enumShape(node) ?? wordShape(node, words) ?? objectShape(node) ?? listShape(node) ?? rawShape(node);
}

function enumShape({ type, enum: values }: SchemaNode): Shape | undefined {
  if (type !== 'string' || !values?.length || !values.every((value) => typeof value === 'string')) return undefined;
  return { kind: 'string', chain: word('enum', ...values.map(literal)), says: { type, enum: values } };
}

function wordShape(node: SchemaNode, choice: typeof words): Shape | undefined {
  const found = choice.find(([, , schema]) => says(node, schema.node));
  return found && { kind: found[1], chain: word(found[0]), says: found[2].node };
}

/** Whether `node` says all that `part` says. */
function says(node: SchemaNode, part: SchemaNode): boolean {
  return Object.entries(part).every(([keyword, value]) => sameJson(own({ ...node }, keyword), value));
}

function objectShape(node: SchemaNode): Shape | undefined {
  const { type, properties, additionalProperties, 'x-kubernetes-embedded-resource': embedded } = node;
  if (type !== 'object') return undefined;
  if (embedded) return embeddedShape(node);
  if (properties) return propertiesShape(properties, node.required ?? []);
  if (typeof additionalProperties === 'object') {
    return { kind: 'map', chain: word('map', schemaCode(additionalProperties)), says: { type, additionalProperties } };
  }
  return additionalProperties === undefined ? wordShape(node, openWords) : undefined;
}

function embeddedShape(node: SchemaNode): Shape | undefined {
  const { 'x-kubernetes-embedded-resource': embedded, ...fields } = node;
  const open = !node.properties && node.additionalProperties === undefined;
  const whole = open ? wordShape(node, openWords) : undefined;
  if (whole?.says['x-kubernetes-embedded-resource']) return whole;
  const inner = objectShape(fields) ?? rawShape(fields);
  const chain = word('embeddedResource', inner.chain);
  return { kind: 'map', chain, says: { ...inner.says, 'x-kubernetes-embedded-resource': true } };
}

function propertiesShape(properties: Readonly<Record<string, SchemaNode>>, required: readonly string[]): Shape {
  const names = Object.keys(properties);
  const entries = names.map((name) => {
    return [name, schemaCode(properties[name] ?? {}, required.includes(name) ? 'required' : 'optional')] as const;
  });
  const chain = word('object', wide(entries));
  // the builder finds out by itself which are required, unless there are others, or some twice
  const expected = names.filter((name) => required.includes(name));
  const known = sameJson([...expected].sort(), [...required].sort()) && required.length > 0;
  return { kind: 'object', chain, says: { type: 'object', properties, ...(known && { required }) } };
}

function listShape(node: SchemaNode): Shape | undefined {
  const { type, items } = node;
  if (type !== 'array' || !items) return undefined;
  const item = schemaCode(items);
  const { 'x-kubernetes-list-type': listType, 'x-kubernetes-list-map-keys': keys } = node;
  if (listType === 'set') {
    return { kind: 'list', chain: word('set', item), says: { type, items, 'x-kubernetes-list-type': 'set' } };
  }
  if (listType !== 'map' || !keys?.length || !keys.every((key) => own(items.properties ?? {}, key))) {
    return { kind: 'list', chain: word('list', item), says: { type, items } };
  }
  const chain = word('listMap', literal(keys.length === 1 ? keys[0] : keys), item);
  const says: SchemaNode = { type, items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys };
  return { kind: 'list', chain, says };
}

const anyNode = s.any().node;

function rawShape(node: SchemaNode): Shape {
  if (node.type === undefined && says(node, anyNode)) return { kind: 'plain', chain: word('any'), says: anyNode };
  const said: SchemaNode = node.type === undefined ? {} : { type: node.type };
  const type = typeOf(node);
  const chain: Chain = {
    is: 'chain',
    head: 's',
    calls: [{ name: 'raw', types: type, args: [literal({ ...said } as Json)] }],
  };
  return { kind: 'plain', chain, says: said, raw: { type } };
}

function typeOf(node: SchemaNode): string {
  if (node['x-kubernetes-int-or-string']) return 'string | number';
  if (node.type === 'object') return openObject;
  return node.type === 'array' ? 'readonly unknown[]' : 'unknown';
}
