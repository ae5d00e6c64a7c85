import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '@coxswain/schema';

/** A schema as a document publishes it: plain JSON. */
export type PublishedSchema = Readonly<Record<string, unknown>>;

const intOrString: PublishedSchema = {
  format: 'int-or-string',
  oneOf: [{ type: 'integer' }, { type: 'string' }],
};

/** Types that the real documents write another way than the table does. */
const special: Readonly<Record<string, PublishedSchema>> = {
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': intOrString,
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { oneOf: [{ type: 'string' }, { type: 'number' }] },
  'io.k8s.apimachinery.pkg.runtime.RawExtension': { type: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': { type: 'object' },
  'io.k8s.apimachinery.pkg.apis.meta.v1.Patch': { type: 'object' },
};

/** Meta types that paths refer to, and what the table has no entry for. */
const extra: Readonly<Record<string, SchemaNode>> = {
  'io.k8s.api.autoscaling.v1.Scale': {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      spec: { type: 'object', properties: { replicas: { type: 'integer', format: 'int32' } } },
      status: {
        type: 'object',
        required: ['replicas'],
        properties: { replicas: { type: 'integer', format: 'int32' }, selector: { type: 'string' } },
      },
    },
  },
  'io.k8s.api.policy.v1.Eviction': {
    type: 'object',
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
      deleteOptions: { $ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions' },
    },
  },
};

const schemaKeys = new Set(['items', 'additionalProperties', 'not']);
const schemaListKeys = new Set(['allOf', 'anyOf', 'oneOf']);

const pointer = (name: string): string => `#/components/schemas/${name}`;

/** Turns schemas of the table into published ones, and collects every definition they lead to. */
export class Components {
  readonly schemas: Record<string, PublishedSchema> = {};

  /** A reference to a definition; the definition (and what it refers to) is added. A type nobody describes is an object. */
  ref(name: string): PublishedSchema {
    this.add(name);
    return this.has(name) ? { $ref: pointer(name) } : { type: 'object' };
  }

  has(name: string): boolean {
    return name in this.schemas;
  }

  /** Adds a definition of the table by its name. */
  add(name: string): void {
    if (this.has(name)) return;
    const node = extra[name] ?? schemaTable<SchemaNode>()[name];
    if (!node && !special[name]) return;
    // Set before its parts are converted: definitions may refer to themselves.
    this.schemas[name] = {};
    this.schemas[name] = special[name] ?? this.convert(node ?? {});
  }

  /** Adds a definition under a name of its own. */
  put(name: string, schema: PublishedSchema): void {
    this.schemas[name] = schema;
  }

  convert(node: SchemaNode): PublishedSchema {
    const { $ref, ...rest } = node;
    const own = this.#convertKeys(rest);
    if ($ref === undefined) return own;
    const reference = this.ref($ref);
    return Object.keys(own).length === 0 ? reference : { allOf: [reference], ...own };
  }

  #convertKeys(node: Omit<SchemaNode, '$ref'>): PublishedSchema {
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) {
      if (value === undefined) continue;
      if (key === 'properties') result[key] = this.#convertMap(value as Readonly<Record<string, SchemaNode>>);
      else if (schemaKeys.has(key) && typeof value === 'object') result[key] = this.convert(value as SchemaNode);
      else if (schemaListKeys.has(key))
        result[key] = (value as readonly SchemaNode[]).map((part) => this.convert(part));
      else result[key] = value;
    }
    return result;
  }

  #convertMap(properties: Readonly<Record<string, SchemaNode>>): PublishedSchema {
    return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, this.convert(node)]));
  }
}
