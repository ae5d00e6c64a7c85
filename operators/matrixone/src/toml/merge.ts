import { isTable, isTableList, type TomlTable, type TomlValue } from './value.ts';

/** Tables with these names are not merged into: the operator's replaces the user's (`matrixone-recorded.md`, point 2). */
const replacedTables: ReadonlySet<string> = new Set(['cache']);

function nameOf(value: TomlTable): string | undefined {
  if (!Object.hasOwn(value, 'name')) return undefined;
  return typeof value.name === 'string' ? value.name : undefined;
}

/** Operator's entries first, in their order, each merged onto the user's of that name, the last if several; then the user's others. */
function mergeLists(user: readonly TomlTable[], operator: readonly TomlTable[]): TomlTable[] {
  const taken = new Set<TomlTable>();
  const merged = operator.map((entry) => {
    const name = nameOf(entry);
    const counterpart = user.findLast((candidate) => nameOf(candidate) === name);
    if (counterpart === undefined) return entry;
    taken.add(counterpart);
    return mergeDeep(counterpart, entry);
  });
  return [...merged, ...user.filter((entry) => !taken.has(entry))];
}

/** Upstream tells it by the first: a user's list that begins with a table without a name is replaced as a whole. */
function isNamedList(value: TomlValue): value is TomlTable[] {
  const [first] = isTableList(value) ? value : [];
  return first !== undefined && Object.hasOwn(first, 'name');
}

function mergeValues(key: string, user: TomlValue, operator: TomlValue): TomlValue {
  if (isTable(user) && isTable(operator) && !replacedTables.has(key)) return mergeDeep(user, operator);
  return isNamedList(user) && isNamedList(operator) ? mergeLists(user, operator) : operator;
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
