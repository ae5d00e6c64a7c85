/**
 * A private, unfrozen copy of a JSON value. Several times faster than `structuredClone`, which also keeps what JSON does
 * not have. Properties that are `undefined` are left out.
 */
export function cloneJson<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const list: unknown[] = new Array(value.length);
    for (let i = 0; i < value.length; i++) list[i] = cloneJson(value[i]);
    return list as T;
  }
  const source = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(source)) {
    const item = source[key];
    if (item === undefined) continue;
    const cloned = typeof item === 'object' && item !== null ? cloneJson(item) : item;
    // A document may hold a key of this name; plain assignment would change the prototype instead.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: cloned, enumerable: true, configurable: true, writable: true });
    else copy[key] = cloned;
  }
  return copy as T;
}
