import type { Json } from '@coxswain/k8s';
import { own } from '../../json.ts';
import type { SchemaNode } from '../../node.ts';
import { type CelType, listOf, mapOf, structType, types } from '../types/type.ts';
import { escapeName } from './escape.ts';

/** What a schema says about values, for the types and the cost of expressions. */
export interface DeclType {
  readonly kind: 'scalar' | 'list' | 'map' | 'object';
  /** The type of a scalar. */
  readonly scalar: CelType;
  /** By the name that expressions use. */
  readonly fields: ReadonlyMap<string, DeclType>;
  /** The type of items or values. */
  readonly element: DeclType | undefined;
  /** The greatest size of a value: items, entries, bytes. */
  readonly maxElements: number;
  /** The least number of bytes a value takes in JSON. */
  readonly minSize: number;
}

export const maxRequestBytes = 3 * 1024 * 1024;

const noFields: ReadonlyMap<string, DeclType> = new Map();
const text: SchemaNode = { type: 'string' };

function scalar(type: CelType, minSize: number, maxElements = 0): DeclType {
  return { kind: 'scalar', scalar: type, fields: noFields, element: undefined, maxElements, minSize };
}

const cache = { root: new WeakMap<SchemaNode, DeclType | null>(), inner: new WeakMap<SchemaNode, DeclType | null>() };

/**
 * The declaration of a node; undefined when its values have no type, and then expressions cannot reach them.
 * @param isRoot whether it is the root of a resource: `apiVersion`, `kind` and `metadata` are known then
 */
export function declTypeOf(node: SchemaNode, isRoot: boolean): DeclType | undefined {
  const known = isRoot ? cache.root : cache.inner;
  let decl = known.get(node);
  if (decl === undefined) {
    decl = build(isRoot ? withObjectMeta(node) : node) ?? null;
    known.set(node, decl);
  }
  return decl ?? undefined;
}

function child(node: SchemaNode): DeclType | undefined {
  return declTypeOf(node, node['x-kubernetes-embedded-resource'] === true);
}

function build(node: SchemaNode): DeclType | undefined {
  if (node['x-kubernetes-int-or-string']) {
    const max = node.maxLength === undefined ? maxRequestBytes - 2 : Math.max(node.maxLength, 0) * 4;
    return scalar(types.dyn, 1, max);
  }
  switch (node.type) {
    case 'array':
      return buildList(node);
    case 'object':
      return typeof node.additionalProperties === 'object'
        ? buildMap(node, node.additionalProperties)
        : buildObject(node);
    case 'string':
      return buildText(node);
    case 'boolean':
      return scalar(types.bool, 4);
    case 'number':
      return scalar(types.double, 1);
    case 'integer':
      return scalar(types.int, 1);
    default:
      return undefined;
  }
}

function buildList({ items, maxItems }: SchemaNode): DeclType | undefined {
  const element = items && child(items);
  if (!element) return undefined;
  const max =
    maxItems === undefined ? Math.trunc((maxRequestBytes - 2) / (element.minSize + 1)) : Math.max(maxItems, 0);
  return { kind: 'list', scalar: types.dyn, fields: noFields, element, maxElements: max, minSize: 2 };
}

function buildMap({ maxProperties }: SchemaNode, values: SchemaNode): DeclType | undefined {
  const element = child(values);
  if (!element) return undefined;
  const most = Math.trunc((maxRequestBytes - 2) / (element.minSize + 6));
  const max = maxProperties === undefined ? most : Math.max(maxProperties, 0);
  return { kind: 'map', scalar: types.dyn, fields: noFields, element, maxElements: max, minSize: 2 };
}

function buildObject({ properties = {}, required = [] }: SchemaNode): DeclType {
  const fields = new Map<string, DeclType>();
  let minSize = 2;
  for (const [name, property] of Object.entries(properties)) {
    const field = child(property);
    if (!field) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, field);
    if (required.includes(name) && property.default === undefined) {
      minSize += Buffer.byteLength(name) + field.minSize + 4;
    }
  }
  return { kind: 'object', scalar: types.dyn, fields, element: undefined, maxElements: 0, minSize };
}

function buildText(node: SchemaNode): DeclType {
  const { format, maxLength } = node;
  switch (format) {
    case 'byte':
      return scalar(types.bytes, 2, maxLength === undefined ? maxRequestBytes - 2 : Math.max(maxLength, 0));
    case 'duration':
      return scalar(types.duration, 3, 32);
    case 'date':
      return scalar(types.timestamp, 12, 12);
    case 'date-time':
      return scalar(types.timestamp, 21, 32);
    default:
      return scalar(types.string, 2, maxTextSize(node));
  }
}

function maxTextSize({ maxLength, enum: values }: SchemaNode): number {
  if (maxLength !== undefined) return Math.max(maxLength, 0) * 4;
  if (!values || values.length === 0) return maxRequestBytes - 2;
  const size = (value: Json) => (typeof value === 'string' ? Buffer.byteLength(value) : 0);
  return Math.max(...values.map(size));
}

const metadata: SchemaNode = { type: 'object', properties: { name: text, generateName: text } };

/** The node with the fields that every resource has, unless it declares them itself. */
export function withObjectMeta(node: SchemaNode): SchemaNode {
  const { properties = {} } = node;
  const meta = own(properties, 'metadata');
  const declared =
    own(properties, 'kind')?.type === 'string' &&
    own(properties, 'apiVersion')?.type === 'string' &&
    meta?.type === 'object' &&
    meta.properties?.name?.type === 'string' &&
    meta.properties.generateName?.type === 'string';
  if (declared) return node;
  return { ...node, properties: { ...properties, kind: text, apiVersion: text, metadata } };
}

/** Gives the objects within a declaration names, and finds their fields by them. */
export class DeclTypes {
  readonly #byName = new Map<string, DeclType>();

  /** The CEL type of a declaration, with `name` for itself if it is an object. */
  typeOf(decl: DeclType, name: string): CelType {
    switch (decl.kind) {
      case 'object':
        this.#byName.set(name, decl);
        return structType(name);
      case 'list':
        return listOf(decl.element ? this.typeOf(decl.element, `${name}.@idx`) : types.dyn);
      case 'map':
        return mapOf(types.string, decl.element ? this.typeOf(decl.element, `${name}.@elem`) : types.dyn);
      default:
        return decl.scalar;
    }
  }

  fieldType(typeName: string, field: string): CelType | undefined {
    const decl = this.#byName.get(typeName);
    const type = decl?.fields.get(field) ?? (reserved(field) ? decl?.fields.get(`__${field}__`) : undefined);
    return type && this.typeOf(type, `${typeName}.${field}`);
  }
}

function reserved(field: string): boolean {
  return escapeName(field) === `__${field}__`;
}
