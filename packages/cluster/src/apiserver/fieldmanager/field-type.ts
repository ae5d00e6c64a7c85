import type { RefResolver, SchemaNode } from '@coxswain/schema';
import { builtInSchemas } from '../patch/index.ts';
import { isBuiltIn, zeroFieldsOf } from './zero-fields.ts';

export type ScalarKind = 'numeric' | 'string' | 'boolean' | 'untyped';

export interface ListType {
  /** Owned as a whole; else item by item. */
  readonly atomic: boolean;
  /** Fields that identify an item; empty: the items are scalars and identify themselves. */
  readonly keys: readonly string[];
  readonly element: FieldType;
}

export interface MapType {
  readonly atomic: boolean;
  /** Whether the schema names this field, as opposed to an entry of a map. */
  declares(key: string): boolean;
  /** Type of a field or entry; `undefined` when the schema allows none of that name. */
  member(key: string): FieldType | undefined;
  /** Default of a declared field. */
  defaultOf(key: string): unknown;
  /** Fields that are never absent in the server's own representation, with their zero values. Built-in types only. */
  readonly zeros: ReadonlyMap<string, unknown>;
  /** Whether the schema is one of the built-in types. */
  readonly builtIn: boolean;
  /** Whether only unknown fields are allowed, all with deduced types. */
  readonly deduced: boolean;
}

/** How a value is owned and merged. One that may hold several shapes has several parts; the value decides. */
export interface FieldType {
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
  readonly map?: MapType;
}

const noZeros: ReadonlyMap<string, unknown> = new Map();

/** Any value, owned as a whole. */
const untypedAtomic: FieldType = {
  scalar: 'untyped',
  get list() {
    return { atomic: true, keys: [], element: untypedAtomic };
  },
  get map() {
    return openMap(true, untypedAtomic);
  },
};

/** Any value: maps are owned field by field, lists as a whole. */
export const deducedType: FieldType = {
  scalar: 'untyped',
  list: { atomic: true, keys: [], element: untypedAtomic },
  get map() {
    return openMap(false, deducedType);
  },
};

function openMap(atomic: boolean, element: FieldType): MapType {
  return {
    atomic,
    declares: () => false,
    member: () => element,
    defaultOf: () => undefined,
    zeros: noZeros,
    builtIn: false,
    deduced: !atomic,
  };
}

type TypeCache = WeakMap<SchemaNode, { plain?: FieldType; preserving?: FieldType }>;
const caches = new WeakMap<RefResolver, TypeCache>();
const roots = new WeakMap<SchemaNode, SchemaNode>();

/** The type of a whole object. Reads the schema as it goes; what it found is kept as long as the schema. */
export function fieldTypeOf(schema: SchemaNode, resolve: RefResolver): FieldType {
  if (schema.$ref !== undefined) return typeOf(schema, resolve, false);
  let root = roots.get(schema);
  if (!root) {
    root = schema.properties?.['metadata']?.$ref === undefined ? withObjectFields(schema) : schema;
    roots.set(schema, root);
  }
  return typeOf(root, resolve, false);
}

function typeOf(node: SchemaNode, resolve: RefResolver, preserve: boolean): FieldType {
  const reference = node.$ref ?? (node.allOf?.length === 1 ? node.allOf[0]?.$ref : undefined);
  if (reference !== undefined) return referencedType(node, reference, resolve);
  let cache = caches.get(resolve);
  if (!cache) {
    cache = new WeakMap();
    caches.set(resolve, cache);
  }
  let entry = cache.get(node);
  if (!entry) {
    entry = {};
    cache.set(node, entry);
  }
  const slot = preserve || node['x-kubernetes-preserve-unknown-fields'] === true ? 'preserving' : 'plain';
  entry[slot] ??= buildType(node, resolve, slot === 'preserving');
  return entry[slot];
}

function referencedType(node: SchemaNode, reference: string, resolve: RefResolver): FieldType {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  if (name === 'io.k8s.apimachinery.pkg.runtime.RawExtension') return untypedAtomic;
  const type = typeOf(resolve(reference), resolve, false);
  const override = node['x-kubernetes-map-type'];
  if (override === undefined || !type.map || type.map.atomic === (override === 'atomic')) return type;
  return { ...type, map: { ...type.map, atomic: override === 'atomic' } };
}

function buildType(node: SchemaNode, resolve: RefResolver, preserve: boolean): FieldType {
  if (node['x-kubernetes-int-or-string']) return { scalar: 'untyped' };
  switch (node.type) {
    case 'object':
      return { map: mapType(node, resolve, preserve) };
    case 'array':
      return { list: listType(node, resolve, preserve) };
    case 'integer':
    case 'number':
      return { scalar: 'numeric' };
    case 'boolean':
      return { scalar: 'boolean' };
    case 'string':
      return { scalar: node.format === undefined || node.format === 'byte' ? 'string' : 'untyped' };
    default:
      return { scalar: 'untyped', list: listType(node, resolve, preserve), map: mapType(node, resolve, preserve) };
  }
}

function listType(node: SchemaNode, resolve: RefResolver, preserve: boolean): ListType {
  const kind = node['x-kubernetes-list-type'];
  const merges = kind === undefined && (node['x-kubernetes-patch-strategy'] ?? '').startsWith('merge');
  const mergeKey = node['x-kubernetes-patch-merge-key'];
  const mergeKeys = merges && mergeKey !== undefined ? [mergeKey] : [];
  return {
    atomic: kind === undefined ? !merges : kind === 'atomic',
    keys: kind === 'map' ? (node['x-kubernetes-list-map-keys'] ?? []) : mergeKeys,
    get element() {
      return node.items ? typeOf(node.items, resolve, preserve) : untypedAtomic;
    },
  };
}

function mapType(node: SchemaNode, resolve: RefResolver, preserve: boolean): MapType {
  const { properties } = node['x-kubernetes-embedded-resource'] ? withObjectFields(node) : node;
  const declares = (key: string) => properties !== undefined && Object.hasOwn(properties, key);
  const open = node.additionalProperties;
  const unknown = (): FieldType | undefined => {
    if (typeof open === 'object') return typeOf(open, resolve, preserve);
    const any = open ?? (preserve || properties === undefined || Object.keys(properties).length === 0);
    return any ? deducedType : undefined;
  };
  const nodeFor = (key: string) => (properties && declares(key) ? properties[key] : undefined);
  return {
    atomic: node['x-kubernetes-map-type'] === 'atomic',
    declares,
    member(key) {
      const declared = nodeFor(key);
      return declared ? typeOf(declared, resolverFor(declared, resolve), preserve) : unknown();
    },
    defaultOf: (key) => nodeFor(key)?.default,
    zeros: zeroFieldsOf(node),
    builtIn: isBuiltIn(node),
    deduced: properties === undefined && unknown() === deducedType,
  };
}

const objectMeta: SchemaNode = { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
const text: SchemaNode = { type: 'string' };

/** A custom resource's schema may leave out, or leave open, what every object has. */
function withObjectFields(node: SchemaNode): SchemaNode {
  return { ...node, properties: { apiVersion: text, kind: text, ...node.properties, metadata: objectMeta } };
}

function resolverFor(node: SchemaNode, resolve: RefResolver): RefResolver {
  return node === objectMeta ? builtInSchemas : resolve;
}
