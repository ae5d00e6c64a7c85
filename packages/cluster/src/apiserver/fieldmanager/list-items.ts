import { goText, isTree, own, put, type Tree } from '../patch/index.ts';
import type { ListType } from './field-type.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';
import { TypeMismatch } from './type-mismatch.ts';

/** Identifies an item of a list that is owned item by item. @throws TypeMismatch when the item has no identity */
export function itemElement(list: ListType, item: unknown, index: number): PathElement {
  const problem = (message: string) => new TypeMismatch('', `element ${index}: ${message}`);
  if (list.keys.length === 0) {
    if (isTree(item)) throw problem("associative list without keys has an element that's a map type");
    if (Array.isArray(item)) throw problem('not supported: associative list with lists as elements');
    if (item === null) throw problem("associative list without keys has an element that's an explicit null");
    return valueElement(item);
  }
  if (item === null) throw problem('associative list with keys may not have a null element');
  if (!isTree(item)) throw problem('associative list with keys may not have non-map elements');
  const key: Tree = {};
  let found = false;
  for (const name of list.keys) {
    const value = own(item, name) ?? list.element.map?.defaultOf(name) ?? list.element.map?.zeros.get(name);
    if (value === undefined || value === null) continue;
    put(key, name, value);
    found = true;
  }
  if (found) return keyElement(key);
  const names = goText(list.keys.map((name) => JSON.stringify(name)));
  const hint = "(and doesn't have default values for any key fields)";
  throw problem(`associative list with keys has an element that omits all key fields ${names} ${hint}`);
}

/** The elements of all items, in order. @throws TypeMismatch */
export function itemElements(list: ListType, items: readonly unknown[]): readonly PathElement[] {
  return items.map((item, index) => itemElement(list, item, index));
}
