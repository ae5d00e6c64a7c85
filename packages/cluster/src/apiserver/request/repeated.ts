/** Which values of a list another one before them equals; the order of keys does not matter. */
export function repeated(values: readonly unknown[]): readonly boolean[] {
  // By text, or a body of some megabytes holds everything up: it has room for tens of thousands.
  const seen = new Set<string>();
  return values.map((value) => {
    const before = seen.size;
    return seen.add(sortedText(value)).size === before;
  });
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item === 'bigint') return { int64: String(item) };
    if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
