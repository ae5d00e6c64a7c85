import type { TomlDate } from 'smol-toml';

/**
 * A TOML value. Integers are `bigint` and floats are `number`, so that `1` and `1.0` stay what they are.
 */
export type TomlValue = string | bigint | number | boolean | TomlDate | TomlValue[] | TomlTable;

export interface TomlTable {
  [key: string]: TomlValue;
}

export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

/** Whether a value is written as `[[name]]`: a list of tables only, and not an empty one. */
export function isTableList(value: TomlValue | undefined): value is TomlTable[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isTable(item));
}
