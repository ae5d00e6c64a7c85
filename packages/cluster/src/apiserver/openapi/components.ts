import { openApiSchemas } from '@coxswain/k8s/openapi';
import type { ResourceInfo } from '../types.ts';
import { customSchema } from './custom-schema.ts';
import { pointer, publishedName } from './names.ts';
import type { GroupVersionKind, PublishedSchema } from './operation.ts';
import { listTexts, metadataTexts, objectTexts, withTexts } from './texts.ts';

const prefix = '#/components/schemas/';
const mark = 'x-kubernetes-group-version-kind';
const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

/** Calls for the name of every reference below a value. */
function eachReference(value: unknown, visit: (name: string) => void): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (key === '$ref' && typeof part === 'string' && part.startsWith(prefix)) visit(part.slice(prefix.length));
    else eachReference(part, visit);
  }
}

function listOf(resource: ResourceInfo): PublishedSchema {
  const { group, version, kind, listKind = `${kind}List` } = resource;
  const properties = {
    apiVersion: { type: 'string' },
    items: { type: 'array', items: pointer(publishedName(resource)) },
    kind: { type: 'string' },
    metadata: { allOf: [pointer('io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta')] },
  };
  const list = { type: 'object', required: ['items'], properties, [mark]: [{ group, kind: listKind, version }] };
  return withTexts(list, listTexts);
}

/** Names of a custom resource's schemas, and what they say. */
export function customSchemas(
  resource: ResourceInfo,
  write: (resource: ResourceInfo) => PublishedSchema,
): readonly (readonly [name: string, schema: PublishedSchema])[] {
  const name = publishedName(resource);
  const { kind, listKind = `${kind}List` } = resource;
  return [
    [name, write(resource)],
    [`${name.slice(0, name.length - kind.length)}${listKind}`, listOf(resource)],
  ];
}

function textsOf(name: string, schema: PublishedSchema): Readonly<Record<string, string>> {
  if (name === objectMeta) return metadataTexts;
  return mark in schema ? objectTexts : {};
}

/** Gathers the schemas that a document refers to, and what those refer to. */
export class Components {
  readonly #known = openApiSchemas();
  readonly #custom = new Map<string, PublishedSchema>();
  readonly #found = new Map<string, PublishedSchema>();

  /** The schemas of a custom resource. */
  publish(resource: ResourceInfo): void {
    for (const [name, schema] of customSchemas(resource, customSchema)) this.#custom.set(name, schema);
  }

  /** All that `value` leads to is wanted. */
  want(value: unknown): void {
    eachReference(value, (name) => {
      if (this.#found.has(name)) return;
      const schema = this.#custom.get(name) ?? this.#known[name];
      if (!schema) return;
      this.#found.set(name, withTexts(schema, textsOf(name, schema)));
      this.want(schema);
    });
  }

  /** What is wanted, by name. Of types that many groups have as kinds, only the kinds are named that `names` is true of. */
  schemas(names: (kind: GroupVersionKind) => boolean = () => true): Readonly<Record<string, PublishedSchema>> {
    const own = (schema: PublishedSchema): PublishedSchema => {
      const kinds = schema[mark];
      if (!Array.isArray(kinds) || kinds.length === 1) return schema;
      return { ...schema, [mark]: kinds.filter(names) };
    };
    const found = [...this.#found.keys()].sort();
    return Object.fromEntries(found.map((name) => [name, own(this.#found.get(name) ?? {})]));
  }
}
