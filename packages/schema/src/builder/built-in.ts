import { schemaTable } from '@coxswain/k8s/schemas';
import type { SchemaNode } from '../node.ts';

const expanded = new Map<string, SchemaNode>();

/**
 * A built-in type written out in full, as a CRD must have it: no `$ref`, no strategic-merge extensions.
 * @throws when the name is unknown, or the type contains itself and so cannot be written out
 */
export function expandBuiltIn(definition: string): SchemaNode {
  const known = expanded.get(definition);
  if (known) return known;
  const node = expand({ $ref: definition }, []);
  expanded.set(definition, node);
  return node;
}

function expand(node: SchemaNode, stack: readonly string[]): SchemaNode {
  if (node.$ref !== undefined) return expandRef(node.$ref, stack);
  const { 'x-kubernetes-patch-strategy': _, 'x-kubernetes-patch-merge-key': __, ...kept } = node;
  const out: { -readonly [K in keyof SchemaNode]: SchemaNode[K] } = kept;
  if (node.properties) out.properties = expandProperties(node.properties, stack);
  if (node.items) out.items = withDefaultedKeys(expand(node.items, stack), node['x-kubernetes-list-map-keys'] ?? []);
  if (typeof node.additionalProperties === 'object') {
    out.additionalProperties = expand(node.additionalProperties, stack);
  }
  return out;
}

function expandRef(name: string, stack: readonly string[]): SchemaNode {
  if (stack.includes(name)) {
    throw new Error(`s.k8s: ${stack[0]} contains ${name} within itself and cannot be written out; use s.anyObject()`);
  }
  const node = schemaTable<SchemaNode>()[name];
  if (!node) throw new Error(`s.k8s: no built-in type is named ${name}`);
  return expand(node, [...stack, name]);
}

function expandProperties(properties: Readonly<Record<string, SchemaNode>>, stack: readonly string[]) {
  return Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, expand(child, stack)]));
}

/** A CRD insists that keys of a list map are required or defaulted; built-in types leave the empty string unsaid. */
function withDefaultedKeys(item: SchemaNode, keys: readonly string[]): SchemaNode {
  const open = keys.filter((key) => !item.required?.includes(key) && item.properties?.[key]?.default === undefined);
  if (open.length === 0) return item;
  const properties = { ...item.properties };
  for (const key of open) properties[key] = { ...properties[key], default: '' };
  return { ...item, properties };
}
