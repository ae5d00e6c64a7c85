import type { RefResolver, SchemaNode } from '../node.ts';

/** Follows `$ref` until a node without one. */
export type Deref = (node: SchemaNode) => SchemaNode;

/** Refs are followed when they are first needed, so a type may contain itself. */
export function makeDeref(resolve: RefResolver | undefined): Deref {
  return (node) => {
    let target = node;
    while (target.$ref !== undefined) {
      if (!resolve) throw new Error(`schema has $ref ${target.$ref}, but no resolver was given to compileSchema`);
      target = resolve(target.$ref);
    }
    return target;
  };
}

/**
 * Whether `matches` holds for the node or anything below it. Combinators are not entered: they cannot carry structure.
 */
export function containsNode(root: SchemaNode, deref: Deref, matches: (node: SchemaNode) => boolean): boolean {
  const seen = new Set<SchemaNode>();
  const visit = (reference: SchemaNode): boolean => {
    const node = deref(reference);
    if (seen.has(node)) return false;
    seen.add(node);
    if (matches(node)) return true;
    if (node.items && visit(node.items)) return true;
    if (typeof node.additionalProperties === 'object' && visit(node.additionalProperties)) return true;
    return Object.values(node.properties ?? {}).some(visit);
  };
  return visit(root);
}
