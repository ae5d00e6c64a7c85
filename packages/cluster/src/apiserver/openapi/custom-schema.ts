import type { SchemaNode } from '@coxswain/schema';
import type { ResourceInfo } from '../types.ts';
import { pointer } from './names.ts';
import type { PublishedSchema } from './operation.ts';
import { identityTexts, withTexts } from './texts.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const schemaLists = ['allOf', 'anyOf', 'oneOf'] as const;
const preserves = 'x-kubernetes-preserve-unknown-fields';

/** What every object has, as a property of a schema. */
const typeProperties = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { allOf: [pointer(objectMeta)] },
};

function mapped(
  properties: Readonly<Record<string, SchemaNode>>,
  convert: (node: SchemaNode) => PublishedSchema,
): PublishedSchema {
  return Object.fromEntries(Object.entries(properties).map(([name, node]) => [name, convert(node)]));
}

const isNode = (value: unknown): value is SchemaNode => typeof value === 'object' && value !== null;

/** A part of a custom kind's schema, as version 3 publishes it. */
function published(node: SchemaNode): PublishedSchema {
  const out: Record<string, unknown> = { ...node };
  if (node.properties) out.properties = mapped(node.properties, published);
  if (isNode(node.items)) out.items = published(node.items);
  if (isNode(node.additionalProperties)) out.additionalProperties = published(node.additionalProperties);
  if (isNode(node.not)) out.not = published(node.not);
  for (const key of schemaLists) if (node[key]) out[key] = node[key].map(published);
  if (node['x-kubernetes-int-or-string'] === true && !node.anyOf && !node.allOf) {
    out.anyOf = [{ type: 'integer' }, { type: 'string' }];
  }
  if (node['x-kubernetes-embedded-resource'] !== true) return out;
  const required = [...new Set([...(node.required ?? []), 'kind', 'apiVersion'])];
  const properties = { ...(out.properties as object), ...typeProperties };
  return withTexts({ ...out, required, properties }, identityTexts);
}

/** The schema of a custom kind with what every object has, as version 3 publishes it. */
export function customSchema({ group, version, kind, schema, selectable }: ResourceInfo): PublishedSchema {
  const { apiVersion: _a, kind: _k, metadata: _m, ...declared } = schema.properties ?? {};
  const fields = Object.keys(selectable);
  return {
    ...withTexts(
      { ...published(schema), properties: { ...mapped(declared, published), ...typeProperties } },
      identityTexts,
    ),
    'x-kubernetes-group-version-kind': [{ group, kind, version }],
    ...(fields.length > 0 ? { 'x-kubernetes-selectable-fields': fields.map((fieldPath) => ({ fieldPath })) } : {}),
  };
}

/** Keywords that version 2 does not have. */
const dropped = new Set<string>([...schemaLists, 'not', 'nullable', 'default']);

/**
 * A part of a custom kind's schema, as version 2 publishes it: kubectl knows no types of several forms, so what may be null, or has
 * fields nobody declared, has no type.
 */
function publishedV2(node: SchemaNode): PublishedSchema {
  const out: Record<string, unknown> = Object.fromEntries(Object.entries(node).filter(([key]) => !dropped.has(key)));
  const open = node[preserves] === true;
  if (node.nullable || open) {
    delete out.items;
    delete out.properties;
  }
  if (node.nullable || (open && node.type === 'object') || (node.type === 'array' && out.items === undefined)) {
    delete out.type;
  }
  if (out.properties) out.properties = mapped(node.properties ?? {}, publishedV2);
  if (isNode(out.items)) out.items = publishedV2(out.items);
  if (isNode(node.additionalProperties)) out.additionalProperties = publishedV2(node.additionalProperties);
  const required = (node.required ?? []).filter((name) => node.properties?.[name]?.nullable !== true);
  if (required.length > 0) out.required = required;
  else delete out.required;
  if (open || node['x-kubernetes-embedded-resource'] !== true) return out;
  const properties = { ...(out.properties as object), ...typeProperties };
  return withTexts({ ...out, required: [...new Set([...required, 'kind', 'apiVersion'])], properties }, identityTexts);
}

/** The same for version 2. */
export function customSchemaV2(resource: ResourceInfo): PublishedSchema {
  const { group, version, kind, schema } = resource;
  const mark = { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
  if (schema[preserves] === true) return { type: 'object', ...mark };
  const { apiVersion: _a, kind: _k, metadata: _m, ...declared } = schema.properties ?? {};
  const typed = { ...typeProperties, metadata: { $ref: `#/definitions/${objectMeta}` } };
  const properties = { ...mapped(declared, publishedV2), ...typed };
  return { ...withTexts({ ...publishedV2(schema), properties }, identityTexts), ...mark };
}
