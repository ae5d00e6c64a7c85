import type { SchemaNode } from '@coxswain/schema';
import { definitionName } from '../builtin/resources.ts';
import type { ResourceInfo } from '../types.ts';
import type { Components, PublishedSchema } from './components.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function kindOf({ group, version, kind }: ResourceInfo): GroupVersionKind {
  return { group, version, kind };
}

/** Under which name a resource's kind is published: custom groups are reversed, `com.example.v1.Widget`. */
export function publishedName(resource: ResourceInfo): string {
  if (resource.builtIn) return definitionName(resource.group, resource.version, resource.kind);
  return [...resource.group.split('.').reverse(), resource.version, resource.kind].join('.');
}

const descriptions: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the kind, such as v1 or apps/v1.',
  kind: 'What the object is, in CamelCase.',
  metadata: 'What every object has: name, namespace, labels, annotations, owners and what the server keeps of it.',
  spec: 'What is wanted.',
  status: 'What is observed. Written by the system.',
};

function described(properties: Readonly<Record<string, unknown>>): PublishedSchema {
  const entries = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    const published = schema as PublishedSchema;
    const text = descriptions[name];
    if (text === undefined || published.description !== undefined) return [name, published];
    if (published.$ref !== undefined) return [name, { allOf: [published], default: {}, description: text }];
    return [name, { ...published, description: text }];
  });
  return Object.fromEntries(entries);
}

/** The kind itself: its schema with metadata, and the mark by which clients find it. */
function addKind(components: Components, resource: ResourceInfo): void {
  const name = publishedName(resource);
  const schema = resource.schema;
  const metadata: SchemaNode = { $ref: `${meta}.ObjectMeta` };
  const whole = resource.builtIn ? schema : { ...schema, properties: { ...schema.properties, metadata } };
  const published = components.convert(whole);
  components.put(name, {
    ...published,
    ...(published.properties ? { properties: described(published.properties as PublishedSchema) } : {}),
    'x-kubernetes-group-version-kind': [kindOf(resource)],
  });
}

function addList(components: Components, resource: ResourceInfo): void {
  const item = { $ref: `#/components/schemas/${publishedName(resource)}` };
  const properties = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: components.ref(`${meta}.ListMeta`),
    items: { type: 'array', items: { allOf: [item], default: {} }, description: 'The objects.' },
  };
  const { group, version, kind } = resource;
  components.put(`${publishedName(resource)}List`, {
    type: 'object',
    required: ['items'],
    properties: described(properties),
    'x-kubernetes-group-version-kind': [{ group, kind: `${kind}List`, version }],
  });
}

/** Publishes a resource's kind and its list. */
export function addResource(components: Components, resource: ResourceInfo): void {
  addKind(components, resource);
  if (resource.verbs.includes('list')) addList(components, resource);
}
