import type { CNLabel } from '../api/index.ts';
import type { CnLabels } from '../mo/index.ts';

/** Labels as HAKeeper takes them: those of a key that is named twice are put together, and what has no key or no value says nothing. */
export function nodeLabels(labels: readonly CNLabel[]): CnLabels {
  const byKey = new Map<string, string[]>();
  for (const { key, values = [] } of labels) {
    if (key && values.length > 0) byKey.set(key, [...(byKey.get(key) ?? []), ...values]);
  }
  return byKey;
}

/** Whether a node has these labels and no others, in whatever order. */
export function hasLabels(
  present: ReadonlyMap<string, { readonly labels: readonly string[] }>,
  wanted: CnLabels,
): boolean {
  const text = (values: readonly string[]) => JSON.stringify([...new Set(values)].sort());
  return (
    present.size === wanted.size &&
    [...wanted].every(([key, values]) => text(present.get(key)?.labels ?? []) === text(values))
  );
}
