import { isTree, put, type Tree } from '../patch/index.ts';
import { emptySet, type FieldNode, type FieldSet, nodeOf } from './field-set.ts';
import { deducedType, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElement } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { shapeOf } from './shape.ts';

/** The value without the fields and items of a set; `undefined` when nothing is left. Unchanged parts are shared. */
export function removeItems(type: FieldType, value: unknown, set: FieldSet): unknown {
  if (set.size === 0) return value;
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map) return removeFromMap(type.map, value, set);
  if (shape === 'list' && type.list) return removeFromList(type.list, value, set);
  return value;
}

function removeFromMap(type: MapType, value: unknown, set: FieldSet): unknown {
  if (type.atomic || !isTree(value)) return undefined;
  const out: Tree = {};
  let changed = false;
  for (const key of Object.keys(value)) {
    const node = set.get(fieldElement(key));
    const left = keepOf(type.member(key) ?? deducedType, value[key], node);
    changed ||= left !== value[key];
    if (left !== undefined) put(out, key, left);
  }
  if (!changed) return value;
  return Object.keys(out).length > 0 ? out : undefined;
}

function removeFromList(type: ListType, value: unknown, set: FieldSet): unknown {
  if (type.atomic || !Array.isArray(value)) return undefined;
  const items: readonly unknown[] = value;
  const kept = items
    .map((item, i) => keepOf(type.element, item, set.get(itemElement(type, item, i))))
    .filter((item) => item !== undefined);
  const same = kept.length === items.length && kept.every((item, i) => item === items[i]);
  if (same) return value;
  return kept.length > 0 ? kept : undefined;
}

function keepOf(type: FieldType, value: unknown, node: FieldNode | undefined): unknown {
  if (!node) return value;
  if (node.member) return undefined;
  // a container that is not removed itself, but has lost all it held, stays as null: who owns it still does
  return removeItems(type, value, node.children ?? emptySet) ?? null;
}

/**
 * The set with every declared field on the way to a member as a member too: owning `spec.template.spec` counts as owning `spec`
 * when it is to be decided what may go.
 */
export function withNamedFields(type: FieldType | undefined, set: FieldSet): FieldSet {
  let out: Map<PathElement, FieldNode> | undefined;
  for (const [element, node] of set) {
    if (!node.children) continue;
    const name = element.slice(2);
    const isField = element[0] === 'f';
    const child = isField ? type?.map?.member(name) : element[0] === 'k' ? type?.list?.element : undefined;
    const member = node.member || (isField && (type?.map?.declares(name) ?? false));
    const children = withNamedFields(child, node.children);
    if (member === node.member && children === node.children) continue;
    out ??= new Map(set);
    out.set(element, nodeOf(member, children));
  }
  return out ?? set;
}

/**
 * The value without the nulls of built-in types, where null and absent are the same. Custom resources keep theirs: only their
 * schema knows which may be null.
 */
export function withoutNulls(type: FieldType, value: unknown): unknown {
  const shape = shapeOf(type, value);
  if (shape === 'list' && type.list && Array.isArray(value)) {
    const { element } = type.list;
    const items = value.map((item) => withoutNulls(element, item));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  if (shape !== 'map' || !type.map || !isTree(value)) return value;
  let out: Tree | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    const gone = member === null && type.map.builtIn;
    const kept = gone ? undefined : withoutNulls(type.map.member(key) ?? deducedType, member);
    if (kept === member) continue;
    out ??= { ...value };
    if (gone) delete out[key];
    else put(out, key, kept);
  }
  return out ?? value;
}
