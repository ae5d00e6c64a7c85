interface Named {
  readonly name: string;
}

/** Replaces items of the same name where they stand; new ones go to the end, in their order. No changes may be said by `null`, too. */
export function upsertByName<T extends Named>(items: readonly T[], changes?: readonly T[] | null): readonly T[] {
  const result = [...items];
  for (const change of changes ?? []) {
    const at = result.findIndex((item) => item.name === change.name);
    if (at < 0) result.push(change);
    else result[at] = change;
  }
  return result;
}
