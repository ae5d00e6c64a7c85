import { schemaTable } from '@coxswain/k8s/schemas';
import type { RefResolver, SchemaNode } from '@coxswain/schema';

/** Finds the schemas of the built-in types. */
export const builtInSchemas: RefResolver = (ref) => {
  const node = schemaTable<SchemaNode>()[ref.slice(ref.lastIndexOf('/') + 1)];
  if (!node) throw new Error(`no schema is named ${ref}`);
  return node;
};

/** The node a `$ref` leads to, or the node itself. */
export function resolved(node: SchemaNode, resolve: RefResolver): SchemaNode {
  let target = node;
  while (target.$ref !== undefined) target = resolve(target.$ref);
  return target;
}

/** The schema of a member of an object or map; `undefined` when the schema does not know it. */
export function memberSchema(node: SchemaNode | undefined, key: string, resolve: RefResolver): SchemaNode | undefined {
  if (!node) return undefined;
  const target = resolved(node, resolve);
  const { properties, additionalProperties } = target;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
