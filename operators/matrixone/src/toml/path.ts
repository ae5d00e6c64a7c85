import { isTable, type TomlTable, type TomlValue } from './value.ts';

/** The value at a path of keys; `undefined` when something on the way is missing or not a table. */
export function getPath(table: TomlTable, path: readonly string[]): TomlValue | undefined {
  let current: TomlValue | undefined = table;
  for (const key of path) {
    if (!isTable(current) || !Object.hasOwn(current, key)) return undefined;
    current = current[key];
  }
  return current;
}

/** Sets a value at a path of keys, making tables on the way; what stands there and is not a table is replaced. */
export function setPath(table: TomlTable, path: readonly string[], value: TomlValue): void {
  let current = table;
  for (const [index, key] of path.entries()) {
    if (index === path.length - 1) {
      current[key] = value;
      return;
    }
    const next = Object.hasOwn(current, key) ? current[key] : undefined;
    if (isTable(next)) {
      current = next;
    } else {
      const made: TomlTable = {};
      current[key] = made;
      current = made;
    }
  }
}

/** A copy that shares no table or list with the original. */
export function cloneToml(table: TomlTable): TomlTable {
  return cloneValue(table) as TomlTable;
}

function cloneValue(value: TomlValue): TomlValue {
  if (Array.isArray(value)) return value.map(cloneValue);
  if (!isTable(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cloneValue(item)]));
}
