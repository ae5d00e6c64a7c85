import type { Json } from '@coxswain/k8s';
import { isTree, put, type Tree } from '../patch/index.ts';
import { emptySet, type FieldNode, type FieldSet, nodeOf, sortedElements } from './field-set.ts';
import { type PathElement, parseElement } from './path-element.ts';
import { sharedSet } from './shared-sets.ts';

/** Stored entries are frozen and live as long as their object, so what was read or written once is not read again. */
const decoded = new WeakMap<object, FieldSet>();

/** Reads a `fieldsV1` value. Path elements of unknown types are dropped. @throws Error when it is malformed */
export function decodeFields(fields: unknown): FieldSet {
  if (fields === undefined || fields === null) return emptySet;
  if (!isTree(fields)) throw new Error('fieldsV1 is not an object');
  const known = decoded.get(fields);
  if (known) return known;
  const set = decodeLevel(fields);
  if (Object.isFrozen(fields)) decoded.set(fields, set);
  return set;
}

function decodeLevel(fields: Tree): FieldSet {
  const set = new Map<PathElement, FieldNode>();
  for (const key of Object.keys(fields)) {
    if (key === '.') continue;
    const element = parseElement(key);
    if (element === undefined) continue;
    const below = fields[key];
    if (!isTree(below)) throw new Error(`fieldsV1: ${key} does not hold an object`);
    const children = decodeLevel(below);
    set.set(element, nodeOf(children.size === 0 || Object.hasOwn(below, '.'), children));
  }
  return set;
}

const empty: Json = Object.freeze({});

const encoded = new WeakMap<FieldSet, Json>();

/** Writes a set in the notation of `fieldsV1`; the value is frozen, and the same for sets of the same paths. */
export function encodeFields(set: FieldSet): Json {
  const one = sharedSet(set);
  let fields = encoded.get(one);
  if (fields === undefined) {
    const tree = encodeLevel(one, false);
    decoded.set(tree, one);
    fields = tree as Json;
    encoded.set(one, fields);
  }
  return fields;
}

function encodeLevel(set: FieldSet, self: boolean): Tree {
  const fields: Tree = self ? { '.': empty } : {};
  for (const [element, node] of sortedElements(set)) {
    put(fields, element, node.children ? encodeLevel(node.children, node.member) : empty);
  }
  return Object.freeze(fields);
}
