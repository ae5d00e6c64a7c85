/**
 * Whether two JSON values are the same. A property that is `undefined` counts as absent; order of keys does not matter,
 * order of lists does.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  return !Array.isArray(b) && sameProperties(a as Properties, b as Properties);
}

type Properties = Readonly<Record<string, unknown>>;

function sameProperties(a: Properties, b: Properties): boolean {
  let present = 0;
  for (const key of Object.keys(a)) {
    const value = a[key];
    if (value === undefined) continue;
    present++;
    if (!Object.hasOwn(b, key) || !deepEqual(value, b[key])) return false;
  }
  for (const key of Object.keys(b)) if (b[key] !== undefined) present--;
  return present === 0;
}
