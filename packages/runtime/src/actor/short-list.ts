/** Items told in a message; the rest is counted. */
const most = 10;

/** The first few, and how many more there are: `a, b, and 3 more`. */
export function shortList(items: readonly string[], separator: string): string {
  const rest = items.length - most;
  return (rest > 0 ? [...items.slice(0, most), `and ${rest} more`] : items).join(separator);
}
