import type { Condition, KubeObject, ObjectMeta } from '@coxswain/k8s';
import type { SchemaNode } from '../node.ts';
import { expandBuiltIn } from './built-in.ts';
import type { Infer, Props } from './infer.ts';
import {
  type KeyOf,
  type Keys,
  type ListOf,
  type ListOptions,
  ListSchema,
  type MapOf,
  MapSchema,
  NumberSchema,
  ObjectSchema,
  StringSchema,
} from './kinds.ts';
import { Schema } from './schema.ts';

/** How the server spells an amount; a string of this form is a quantity. */
export const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const intOrString: SchemaNode = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};

const openObject: SchemaNode = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The part of `metadata` that a template can carry. */
export type TemplateMeta = Readonly<
  Partial<Pick<ObjectMeta, 'annotations' | 'finalizers' | 'labels' | 'name' | 'namespace'>>
>;

const stringMap: SchemaNode = { type: 'object', additionalProperties: { type: 'string' } };
const objectMetaNode: SchemaNode = {
  type: 'object',
  properties: {
    annotations: stringMap,
    finalizers: { type: 'array', items: { type: 'string' } },
    labels: stringMap,
    name: { type: 'string' },
    namespace: { type: 'string' },
  },
};

/**
 * The schema builder: `s.object({ replicas: s.int32().min(0).default(1), note: s.string().optional() })`.
 * What it builds is always a structural schema.
 */
export const s = {
  object: <P extends Props>(props: P): ObjectSchema<P> => new ObjectSchema(props),
  string: (): StringSchema => new StringSchema({ type: 'string' }),
  boolean: (): Schema<boolean> => new Schema<boolean>({ type: 'boolean' }),
  int: (): NumberSchema => new NumberSchema({ type: 'integer' }),
  int32: (): NumberSchema => new NumberSchema({ type: 'integer', format: 'int32' }),
  /** Values beyond 2^53 lose precision in JavaScript. */
  int64: (): NumberSchema => new NumberSchema({ type: 'integer', format: 'int64' }),
  number: (): NumberSchema => new NumberSchema({ type: 'number' }),
  /** One of the given strings; the type is their union. */
  enum: <const V extends readonly [string, ...string[]]>(...values: V): StringSchema<V[number]> =>
    new StringSchema<V[number]>({ type: 'string', enum: values }),
  list: <S extends Schema<unknown>>(item: S, options?: ListOptions<Infer<S>>): ListOf<S> => list(item, options),
  /** A list without duplicates, whose items each have an owner of their own. Items are scalars, or atomic. */
  set: <S extends Schema<unknown>>(item: S): ListOf<S> => list(item, { type: 'set' }),
  /** A list whose items are told apart by `keys`: scalar fields of the item, each required or defaulted. */
  listMap: <S extends Schema<unknown>>(keys: KeyOf<Infer<S>> | Keys<Infer<S>>, item: S): ListOf<S> =>
    list<Schema<unknown>>(item, { type: 'map', keys: typeof keys === 'string' ? [keys] : keys }) as ListOf<S>,
  /** String keys, values of one type. */
  map: <S extends Schema<unknown>>(value: S): MapOf<S> =>
    new MapSchema({ type: 'object', additionalProperties: value.node }),
  /** `"8Gi"`, `"500m"`, `2`: an amount as Kubernetes writes it. */
  quantity: (): Schema<string | number> => new Schema<string | number>({ ...intOrString, pattern: quantityPattern }),
  /** A number or a string such as `"25%"` or a port name. */
  intOrString: (): Schema<string | number> => new Schema<string | number>(intOrString),
  /** RFC 3339 time. */
  dateTime: (): StringSchema => new StringSchema({ type: 'string', format: 'date-time' }),
  /** A length of time as Go writes it: `1h30m`, `250ms`. The server's check also takes words: `3 days`. */
  duration: (): StringSchema => new StringSchema({ type: 'string', format: 'duration' }),
  /** Labels, annotations and name of an object to be made: what a pod template's `metadata` holds. */
  objectMeta: (): MapSchema<TemplateMeta> => new MapSchema(objectMetaNode),
  /**
   * A whole Kubernetes object inside this one: the server wants `apiVersion` and `kind`, and checks `metadata`.
   * With an object builder its fields are checked, and others pruned; without, everything is kept.
   */
  embeddedResource: <T = KubeObject, Input = T>(fields?: Schema<T, Input>): MapSchema<T, Input> =>
    new MapSchema<T, Input>({ ...(fields?.node ?? openObject), 'x-kubernetes-embedded-resource': true }),
  /** Any JSON value, kept as it is. `T` is the caller's word for it: nothing checks it. */
  any: <T = unknown>(): Schema<T> => new Schema<T>({ 'x-kubernetes-preserve-unknown-fields': true }),
  /** Any JSON object, kept as it is. */
  anyObject: <T = Readonly<Record<string, unknown>>>(): MapSchema<T> => new MapSchema<T>(openObject),
  /** A built-in type by its definition name (`io.k8s.api.core.v1.ResourceRequirements`), written out in place. */
  k8s: <T>(definition: string): Schema<T> => new Schema<T>(expandBuiltIn(definition)),
  /** A node as it is, for what the builder has no word for. */
  raw: <T>(node: SchemaNode): Schema<T> => new Schema<T>(node),
  /** `status.conditions`: a list map of `metav1.Condition` by `type`. */
  conditions: (): ListSchema<Condition> => new ListSchema<Condition>(conditionsNode),
};

function list<S extends Schema<unknown>>(item: S, options: ListOptions = {}): ListOf<S> {
  return new ListSchema({
    type: 'array',
    items: item.node,
    ...(options.type && { 'x-kubernetes-list-type': options.type }),
    ...(options.keys && { 'x-kubernetes-list-map-keys': options.keys }),
  });
}

const conditionType =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

const conditionsNode: SchemaNode = {
  type: 'array',
  items: {
    type: 'object',
    required: ['lastTransitionTime', 'message', 'reason', 'status', 'type'],
    properties: {
      lastTransitionTime: { type: 'string', format: 'date-time' },
      message: { type: 'string', maxLength: 32768 },
      observedGeneration: { type: 'integer', format: 'int64', minimum: 0 },
      reason: { type: 'string', minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      type: { type: 'string', maxLength: 316, pattern: conditionType },
    },
  },
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};
