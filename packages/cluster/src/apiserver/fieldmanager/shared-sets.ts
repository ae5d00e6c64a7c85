import { type FieldNode, type FieldSet, nodeOf } from './field-set.ts';
import type { PathElement } from './path-element.ts';

/** Levels that are remembered; when there are more, remembering starts anew. */
const limit = 10_000;

const known = new Map<string, FieldSet>();
const ids = new WeakMap<FieldSet, number>();
let lastId = 0;

/**
 * One set for all that have the same paths in the same order. Objects of one template own the same fields, whatever their
 * values: what is derived from the set is then made once for all of them, and kept once.
 */
export function sharedSet(set: FieldSet): FieldSet {
  if (ids.has(set)) return set;
  const text = textOf(set);
  const found = known.get(text);
  if (found) return found;
  const level = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
    level.set(element, node.children ? nodeOf(node.member, sharedSet(node.children)) : node);
  }
  if (known.size >= limit) known.clear();
  known.set(text, level);
  ids.set(level, ++lastId);
  return level;
}

/** The paths of a level: its elements, each with its length so that none can pass for two, and the levels below by number. */
function textOf(set: FieldSet): string {
  let text = '';
  for (const [element, { member, children }] of set) {
    const below = children ? ids.get(sharedSet(children)) : '';
    text += `${element.length}${member ? '+' : '-'}${element}${below};`;
  }
  return text;
}
