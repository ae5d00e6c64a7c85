import { compareElements, elementText, type PathElement } from './path-element.ts';

/** Whether the path up to here is in the set, and what lies below it. */
export interface FieldNode {
  readonly member: boolean;
  /** Never empty: a node without members below has none. */
  readonly children?: FieldSet;
}

/**
 * A set of field paths, as a trie. Sets are values: operations answer new ones and share what did not change, so that an
 * unchanged result is the very same object.
 */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

/** A set under construction. */
export class FieldSetBuilder {
  readonly #root = new Map<PathElement, DraftNode>();

  /** Adds a path. The empty path is the whole object, which nobody owns. */
  insert(path: readonly PathElement[]): void {
    let level = this.#root;
    for (let i = 0; i < path.length; i++) {
      const element = path[i] ?? '';
      let node = level.get(element);
      if (!node) {
        node = { member: false };
        level.set(element, node);
      }
      if (i === path.length - 1) node.member = true;
      else {
        node.children ??= new Map();
        level = node.children;
      }
    }
  }

  /** Adds a path with all that is below it. The path is new to the set, and not empty. */
  insertNode(path: readonly PathElement[], node: DraftNode): void {
    this.insert(path);
    let level = this.#root;
    for (let i = 0; i < path.length - 1; i++) level = level.get(path[i] ?? '')?.children ?? level;
    level.set(path.at(-1) ?? '', node);
  }

  build(): FieldSet {
    return this.#root;
  }
}

/** A node under construction. */
export interface DraftNode {
  member: boolean;
  children?: Map<PathElement, DraftNode>;
}

export const emptySet: FieldSet = new Map();

/** Builds a set from paths. */
export function setOf(...paths: readonly (readonly PathElement[])[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

export function has(set: FieldSet, path: readonly PathElement[]): boolean {
  let level: FieldSet | undefined = set;
  for (let i = 0; i < path.length - 1; i++) level = level?.get(path[i] ?? '')?.children;
  return level?.get(path.at(-1) ?? '')?.member ?? false;
}

export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (a.size === 0) return b;
  let out: Map<PathElement, FieldNode> | undefined;
  for (const [element, right] of b) {
    const left = a.get(element);
    const node = left ? unionNodes(left, right) : right;
    if (node === left) continue;
    out ??= new Map(a);
    out.set(element, node);
  }
  return out ?? a;
}

function unionNodes(a: FieldNode, b: FieldNode): FieldNode {
  const member = a.member || b.member;
  const children = a.children && b.children ? union(a.children, b.children) : (a.children ?? b.children);
  return member === a.member && children === a.children ? a : nodeOf(member, children);
}

/** What is in `a` but not in `b`, path by path: taking a parent away leaves its children. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, (left, right) => {
    const children = left.children && right.children ? difference(left.children, right.children) : left.children;
    return { member: left.member && !right.member, children };
  });
}

/** Like {@link difference}, but a path of `b` takes everything below it along. */
export function recursiveDifference(a: FieldSet, b: FieldSet): FieldSet {
  return subtract(a, b, (left, right) => {
    if (right.member) return { member: false };
    const children =
      left.children && right.children ? recursiveDifference(left.children, right.children) : left.children;
    return { member: left.member, children };
  });
}

function subtract(a: FieldSet, b: FieldSet, change: (left: FieldNode, right: FieldNode) => FieldNode): FieldSet {
  let out: Map<PathElement, FieldNode> | undefined;
  for (const [element, right] of b) {
    const left = a.get(element);
    if (!left) continue;
    const { member, children } = change(left, right);
    if (member === left.member && children === left.children) continue;
    out ??= new Map(a);
    const node = nodeOf(member, children);
    if (node.member || node.children) out.set(element, node);
    else out.delete(element);
  }
  return out ?? a;
}

export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  for (const [element, left] of small) {
    const right = large.get(element);
    if (!right) continue;
    const children = left.children && right.children ? intersection(left.children, right.children) : undefined;
    const node = nodeOf(left.member && right.member, children);
    if (node.member || node.children) out.set(element, node);
  }
  return out;
}

export function equalSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [element, left] of a) {
    const right = b.get(element);
    if (!right || left.member !== right.member) return false;
    if (!equalSets(left.children ?? emptySet, right.children ?? emptySet)) return false;
  }
  return true;
}

export function nodeOf(member: boolean, children: FieldSet | undefined): FieldNode {
  return children && children.size > 0 ? { member, children } : { member };
}

/** Elements in the order of the wire. */
export function sortedElements(set: FieldSet): readonly [PathElement, FieldNode][] {
  return [...set].sort(([a], [b]) => compareElements(a, b));
}

/** All paths as text (`.spec.ports[port=80]`): the members of a level first, then what is below. */
export function pathsOf(set: FieldSet, prefix = ''): readonly string[] {
  const sorted = sortedElements(set);
  const members = sorted.filter(([, node]) => node.member).map(([element]) => prefix + elementText(element));
  const below = sorted.flatMap(([element, node]) =>
    node.children ? pathsOf(node.children, prefix + elementText(element)) : [],
  );
  return [...members, ...below];
}
