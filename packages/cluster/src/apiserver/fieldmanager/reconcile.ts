import { emptySet, type FieldNode, type FieldSet, nodeOf } from './field-set.ts';
import type { FieldType } from './field-type.ts';
import type { PathElement } from './path-element.ts';

/**
 * Adapts a set to a schema that has changed since it was written: who owned parts of what is atomic now owns the whole.
 * Answers the same set when nothing has to change, which is the rule.
 */
export function reconcileSet(type: FieldType, set: FieldSet): FieldSet {
  let out: Map<PathElement, FieldNode> | undefined;
  for (const [element, node] of set) {
    const child = childType(type, element);
    if (!child) continue;
    const after = reconcileNode(child, node);
    if (after === node) continue;
    out ??= new Map(set);
    out.set(element, after);
  }
  return out ?? set;
}

function reconcileNode(type: FieldType, node: FieldNode): FieldNode {
  if (type.map ? type.map.deduced : type.scalar !== undefined) return node;
  const atomic = type.map ? type.map.atomic : type.list?.atomic;
  if (atomic) return node.children ? { member: true } : node;
  const children = node.children && reconcileSet(type, node.children);
  return children === node.children ? node : nodeOf(node.member, children ?? emptySet);
}

function childType(type: FieldType, element: PathElement): FieldType | undefined {
  if (element[0] === 'f') return type.map?.member(element.slice(2));
  return type.list?.element;
}
