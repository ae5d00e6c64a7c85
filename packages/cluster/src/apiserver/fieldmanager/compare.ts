import { deepEqual } from '@coxswain/runtime/core';
import { isTree, own, put, type Tree } from '../patch/index.ts';
import { type DraftNode, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { deducedType, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElements } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { isEmptyList, isEmptyMap, type Shape, shapeOf } from './shape.ts';

/** What the right object has that the left has not, has otherwise, and has no more. No path is in two of them. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects of a type. Duplicates in sets and keyed lists are tolerated and owned as a group. @throws TypeMismatch */
export function compareObjects(type: FieldType, left: unknown, right: unknown): Comparison {
  const walk = new Walk();
  walk.compare(type, left, right);
  return { added: walk.added.build(), modified: walk.modified.build(), removed: walk.removed.build() };
}

/** `undefined` is absent; null is a value. */
class Walk {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  readonly #path: PathElement[] = [];

  compare(type: FieldType, left: unknown, right: unknown): void {
    if (left === right) return;
    if (left === undefined && this.#path.length > 0) {
      this.added.insertNode(this.#path, addedNode(type, right));
      return;
    }
    const leftShape = shapeOf(type, left);
    const rightShape = shapeOf(type, right);
    let leaf: boolean;
    if (right === undefined) leaf = this.#as(leftShape, type, left, right);
    else {
      if (left !== undefined && leftShape !== rightShape) this.#as(leftShape, type, left, right);
      leaf = this.#as(rightShape, type, left, right);
    }
    if (leaf) return;
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
  }

  /** Answers whether the value was treated as a whole. */
  #as(shape: Shape, type: FieldType, left: unknown, right: unknown): boolean {
    if (shape === 'map' && type.map) return this.#maps(type.map, left, right);
    if (shape === 'list' && type.list) return this.#lists(type.list, left, right);
    this.#leaf(left, right);
    return true;
  }

  #leaf(left: unknown, right: unknown): void {
    if (left === undefined) this.added.insert(this.#path);
    else if (right === undefined) this.removed.insert(this.#path);
    else if (!deepEqual(left, right)) this.modified.insert(this.#path);
  }

  #maps(type: MapType, leftValue: unknown, rightValue: unknown): boolean {
    const left = withZeros(type, leftValue);
    const right = withZeros(type, rightValue);
    if (type.atomic || (isEmptyMap(left) && isEmptyMap(right))) {
      this.#leaf(left, right);
      return true;
    }
    const a: Tree = isTree(left) ? left : {};
    const b: Tree = isTree(right) ? right : {};
    for (const key of Object.keys(a)) this.#member(type, key, a[key], own(b, key));
    for (const key of Object.keys(b)) if (!Object.hasOwn(a, key)) this.#member(type, key, undefined, b[key]);
    return false;
  }

  #member(type: MapType, key: string, left: unknown, right: unknown): void {
    if (left === right) return;
    this.#path.push(fieldElement(key));
    this.compare(type.member(key) ?? deducedType, left, right);
    this.#path.pop();
  }

  #lists(type: ListType, left: unknown, right: unknown): boolean {
    if (type.atomic || (isEmptyList(left) && isEmptyList(right))) {
      this.#leaf(left, right);
      return true;
    }
    const before = groupItems(type, left);
    const after = groupItems(type, right);
    for (const [element, items] of before) this.#items(type, element, items, after.get(element) ?? []);
    for (const [element, items] of after) if (!before.has(element)) this.#items(type, element, [], items);
    return false;
  }

  #items(type: ListType, element: PathElement, left: readonly unknown[], right: readonly unknown[]): void {
    this.#path.push(element);
    if (left.length <= 1 && right.length <= 1) this.compare(type.element, left[0], right[0]);
    else if (left.length >= 2 && right.length >= 2) {
      if (!deepEqual(left, right)) this.modified.insert(this.#path);
    } else if (left.length >= 2) {
      if (right.length > 0) this.compare(type.element, undefined, right[0]);
      this.removed.insert(this.#path);
    } else {
      if (left.length > 0) this.compare(type.element, left[0], undefined);
      this.added.insert(this.#path);
    }
    this.#path.pop();
  }
}

/** A value that was not there before, with all that is in it. @throws TypeMismatch */
function addedNode(type: FieldType, value: unknown): DraftNode {
  const shape = shapeOf(type, value);
  let children: Map<PathElement, DraftNode> | undefined;
  if (shape === 'map' && type.map && !type.map.atomic) children = addedMembers(type.map, value);
  else if (shape === 'list' && type.list && !type.list.atomic) children = addedItems(type.list, value);
  return children && children.size > 0 ? { member: true, children } : { member: true };
}

function addedMembers(type: MapType, value: unknown): Map<PathElement, DraftNode> {
  const members = new Map<PathElement, DraftNode>();
  const map = withZeros(type, value);
  if (!isTree(map)) return members;
  for (const key of Object.keys(map)) {
    if (map[key] !== undefined) members.set(fieldElement(key), addedNode(type.member(key) ?? deducedType, map[key]));
  }
  return members;
}

function addedItems(type: ListType, value: unknown): Map<PathElement, DraftNode> {
  const items = new Map<PathElement, DraftNode>();
  for (const [element, group] of groupItems(type, value)) {
    items.set(element, group.length === 1 ? addedNode(type.element, group[0]) : { member: true });
  }
  return items;
}

/** The map with the fields that the server never leaves out. */
function withZeros(type: MapType, value: unknown): unknown {
  if (type.zeros.size === 0 || !isTree(value)) return value;
  let full: Tree | undefined;
  for (const [key, zero] of type.zeros) {
    if (own(value, key) !== undefined) continue;
    full ??= { ...value };
    put(full, key, zero);
  }
  return full ?? value;
}

function groupItems(type: ListType, list: unknown): Map<PathElement, unknown[]> {
  const groups = new Map<PathElement, unknown[]>();
  const items: readonly unknown[] = Array.isArray(list) ? list : [];
  itemElements(type, items).forEach((element, i) => {
    const group = groups.get(element);
    if (group) group.push(items[i]);
    else groups.set(element, [items[i]]);
  });
  return groups;
}
