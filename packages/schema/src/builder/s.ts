import type { Condition } from '@coxswain/k8s';
import type { SchemaNode } from '../node.ts';
import { expandBuiltIn } from './built-in.ts';
import type { Infer, Props } from './infer.ts';
import {
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

const quantityPattern =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

const intOrString: SchemaNode = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
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
  /** String keys, values of one type. */
  map: <S extends Schema<unknown>>(value: S): MapOf<S> =>
    new MapSchema({ type: 'object', additionalProperties: value.node }),
  /** `"8Gi"`, `"500m"`, `2`: an amount as Kubernetes writes it. */
  quantity: (): Schema<string | number> => new Schema<string | number>({ ...intOrString, pattern: quantityPattern }),
  /** A number or a string such as `"25%"` or a port name. */
  intOrString: (): Schema<string | number> => new Schema<string | number>(intOrString),
  /** RFC 3339 time. */
  dateTime: (): StringSchema => new StringSchema({ type: 'string', format: 'date-time' }),
  /** Any JSON value, kept as it is. `T` is the caller's word for it: nothing checks it. */
  any: <T = unknown>(): Schema<T> => new Schema<T>({ 'x-kubernetes-preserve-unknown-fields': true }),
  /** Any JSON object, kept as it is. */
  anyObject: <T = Readonly<Record<string, unknown>>>(): MapSchema<T> =>
    new MapSchema<T>({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }),
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
