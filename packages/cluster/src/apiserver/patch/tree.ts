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

/** Whether two JSON values are the same. Keys that hold `undefined` count as absent; order of keys does not matter. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((value, i) => equalJson(value, b[i]));
  }
  if (!isTree(a) || !isTree(b)) return false;
  let left = 0;
  for (const key of Object.keys(a)) {
    if (a[key] === undefined) continue;
    left++;
    if (!Object.hasOwn(b, key) || !equalJson(a[key], b[key])) return false;
  }
  let right = 0;
  for (const key of Object.keys(b)) if (b[key] !== undefined) right++;
  return left === right;
}
