import type { SchemaNode } from '@coxswain/schema';
import { builtInSchemas } from '../../patch/index.ts';
import type { ResourceInfo } from '../../types.ts';

const wholes = new Map<string, SchemaNode>();
const open = new Set<string>();

/** Types that may be text or number, which no expression type says. */
const untyped = new Set(['io.k8s.apimachinery.pkg.api.resource.Quantity']);

/** A schema that holds itself is an object without fields where it does. */
function referenced(reference: string): SchemaNode {
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  if (open.has(name)) return { type: 'object' };
  if (untyped.has(name)) return {};
  let whole = wholes.get(name);
  if (!whole) {
    open.add(name);
    whole = expanded(builtInSchemas(reference));
    open.delete(name);
    wholes.set(name, whole);
  }
  return whole;
}

function expanded(node: SchemaNode): SchemaNode {
  const reference = node.$ref ?? (node.allOf?.length === 1 ? node.allOf[0]?.$ref : undefined);
  if (reference !== undefined) return referenced(reference);
  const { properties, items, additionalProperties } = node;
  return {
    ...node,
    ...(properties
      ? { properties: Object.fromEntries(Object.entries(properties).map(([key, part]) => [key, expanded(part)])) }
      : {}),
    ...(items ? { items: expanded(items) } : {}),
    ...(typeof additionalProperties === 'object' ? { additionalProperties: expanded(additionalProperties) } : {}),
  };
}

const known = new WeakMap<SchemaNode, SchemaNode>();

/** The schema of a kind with everything it refers to in its place. */
export function wholeSchema({ schema }: ResourceInfo): SchemaNode {
  let whole = known.get(schema);
  if (!whole) {
    whole = expanded(schema);
    known.set(schema, whole);
  }
  return whole;
}
