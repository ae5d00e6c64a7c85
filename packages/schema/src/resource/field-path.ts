/** A value as one reaches into it: every field is there. */
export type Reach<T> = { readonly [K in keyof T]-?: Reach<NonNullable<T[K]>> };

/**
 * A field of an object: `(object) => object.status.phase`, checked by the compiler, or its path as text that begins with a dot
 * (`.status.phase`), held against the schema where it is written.
 */
export type FieldPath<T> = string | ((object: Reach<T>) => unknown);

/**
 * The path as text.
 * @throws TypeError when an accessor does more than to name fields
 */
export function pathText<T>(path: FieldPath<T>): string {
  if (typeof path !== 'function') return path;
  const paths = new WeakMap<object, string>();
  const at = (text: string): object => {
    const place = new Proxy({}, { get: (_, name) => at(`${text}${step(name)}`) });
    paths.set(place, text);
    return place;
  };
  const reached = path(at('') as Reach<T>);
  const text = typeof reached === 'object' && reached !== null ? paths.get(reached) : undefined;
  if (!text) throw new TypeError('an accessor names one field: (object) => object.status.phase');
  return text;
}

function step(name: string | symbol): string {
  if (typeof name === 'symbol') throw new TypeError('an accessor names fields, it does not compute with them');
  return /^\d+$/.test(name) ? `[${name}]` : `.${name.replaceAll('.', '\\.')}`;
}
