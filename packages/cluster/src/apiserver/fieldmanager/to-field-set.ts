import { isTree } from '../patch/index.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { deducedType, type FieldType, type ListType, type MapType } from './field-type.ts';
import { itemElements } from './list-items.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { shapeOf } from './shape.ts';

/**
 * Everything that a configuration mentions: leaves, list items, map entries, and empty or null containers.
 * Items that occur more than once count as one. @throws TypeMismatch
 */
export function toFieldSet(type: FieldType, value: unknown): FieldSet {
  const set = new FieldSetBuilder();
  visit(type, value, [], set);
  return set.build();
}

function visit(type: FieldType, value: unknown, path: PathElement[], set: FieldSetBuilder): void {
  const shape = shapeOf(type, value);
  if (shape === 'map' && type.map) visitMap(type.map, value, path, set);
  else if (shape === 'list' && type.list) visitList(type.list, value, path, set);
  else set.insert(path);
}

function visitMap(type: MapType, value: unknown, path: PathElement[], set: FieldSetBuilder): void {
  if (type.atomic) {
    set.insert(path);
    return;
  }
  if (!isTree(value)) return;
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (member === undefined) continue;
    path.push(fieldElement(key));
    visit(type.member(key) ?? deducedType, member, path, set);
    const empty = member === null || (isTree(member) && Object.keys(member).length === 0);
    if (empty || !type.declares(key)) set.insert(path);
    path.pop();
  }
}

function visitList(type: ListType, value: unknown, path: PathElement[], set: FieldSetBuilder): void {
  if (type.atomic) {
    set.insert(path);
    return;
  }
  if (!Array.isArray(value)) return;
  const elements = itemElements(type, value);
  const count = new Map<PathElement, number>();
  for (const element of elements) count.set(element, (count.get(element) ?? 0) + 1);
  elements.forEach((element, i) => {
    path.push(element);
    if (count.get(element) === 1) visit(type.element, value[i], path, set);
    set.insert(path);
    path.pop();
  });
}
