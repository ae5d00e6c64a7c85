import type { SchemaNode } from '../node.ts';

/**
 * The node of the field a path of a column, of `scale` or of a selectable field leads to; `undefined` when there is none, and
 * `unknown` for what a schema does not tell: metadata, open objects, maps, filters and escapes.
 */
export function nodeAt(schema: SchemaNode, path: string): SchemaNode | 'unknown' | undefined {
  if (!/^(?:\.[\w-]+)+$/.test(path)) return 'unknown';
  const [first, ...rest] = path.slice(1).split('.');
  if (first === undefined || first === 'metadata') return 'unknown';
  let node: SchemaNode = schema;
  for (const name of [first, ...rest]) {
    const child: SchemaNode | undefined = Object.hasOwn(node.properties ?? {}, name)
      ? node.properties?.[name]
      : undefined;
    if (child === undefined) return isOpen(node) ? 'unknown' : undefined;
    node = child;
  }
  return node;
}

function isOpen(node: SchemaNode): boolean {
  const { additionalProperties } = node;
  if (additionalProperties !== undefined && additionalProperties !== false) return true;
  return node['x-kubernetes-preserve-unknown-fields'] === true || node['x-kubernetes-embedded-resource'] === true;
}
