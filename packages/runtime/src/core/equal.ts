/**
 * Whether two JSON values are the same. A property that is `undefined` counts as absent; order of keys does not matter,
 * order of lists does. An integer is the same as a `number` and as a `bigint`: what was written as the one may be read as
 * the other.
 */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return sameNumber(a, b);
  }
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) if (!deepEqual(a[i], b[i])) return false;
    return true;
  }
  return !Array.isArray(b) && sameProperties(a as Properties, b as Properties);
}

function sameNumber(a: unknown, b: unknown): boolean {
  if (typeof a === 'bigint') return typeof b === 'number' && Number.isInteger(b) && BigInt(b) === a;
  if (typeof b === 'bigint') return sameNumber(b, a);
  return typeof a === 'number' && Number.isNaN(a) && Number.isNaN(b);
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
