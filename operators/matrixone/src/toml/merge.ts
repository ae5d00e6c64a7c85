import { isTable, type TomlTable, type TomlValue } from './value.ts';

/** Tables with these names are not merged into: the operator's replaces the user's (`matrixone-recorded.md`, point 2). */
const replacedTables: ReadonlySet<string> = new Set(['cache']);

function nameOf(value: TomlValue): string | undefined {
  if (!isTable(value) || !Object.hasOwn(value, 'name')) return undefined;
  return typeof value.name === 'string' ? value.name : undefined;
}

/** Operator's entries first, in their order, each merged onto the user's of that name; then the user's others. */
function mergeLists(user: readonly TomlValue[], operator: readonly TomlValue[]): TomlValue[] {
  const taken = new Set<TomlValue>();
  const merged = operator.map((entry) => {
    const name = nameOf(entry);
    const counterpart = user.find((candidate) => !taken.has(candidate) && nameOf(candidate) === name);
    if (counterpart === undefined || !isTable(counterpart) || !isTable(entry)) return entry;
    taken.add(counterpart);
    return mergeDeep(counterpart, entry);
  });
  return [...merged, ...user.filter((entry) => !taken.has(entry))];
}

function mergeValues(key: string, user: TomlValue, operator: TomlValue): TomlValue {
  if (isTable(user) && isTable(operator) && !replacedTables.has(key)) return mergeDeep(user, operator);
  const named = Array.isArray(operator) && operator.length > 0 && operator.every((item) => nameOf(item) !== undefined);
  return named && Array.isArray(user) ? mergeLists(user, operator) : operator;
}

/**
 * Lays the operator's values over the user's. On a conflict the operator wins; keys that only the user has stay.
 * Lists of named tables are merged by name; all other lists are replaced. Neither argument is changed.
 */
export function mergeDeep(user: TomlTable, operator: TomlTable): TomlTable {
  const merged: TomlTable = { ...user };
  for (const [key, value] of Object.entries(operator)) {
    const present = Object.hasOwn(user, key) ? user[key] : undefined;
    merged[key] = present === undefined ? value : mergeValues(key, present, value);
  }
  return merged;
}
