/** A parsed JSON object. Keys come from clients, so they are only read through {@link own} and written through {@link put}. */
export type Tree = { [key: string]: unknown };

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of an own key: a label called `constructor` must not find `Object.prototype`. */
export function own(tree: Tree, key: string): unknown {
  return Object.hasOwn(tree, key) ? tree[key] : undefined;
}

/** Sets an own key; plain assignment would change the prototype for `__proto__`. */
export function put(tree: Tree, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(tree, key, { value, enumerable: true, configurable: true, writable: true });
  } else tree[key] = value;
}
