import { isTree } from './tree.ts';

/** A JSON value as Go prints it with `%v`: error messages of the real server quote values in this form. */
export function goText(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (isTree(value)) {
    const keys = Object.keys(value).sort();
    return `map[${keys.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
  }
  return String(value);
}

/** What Go's JSON decoder calls the kind of a value. */
export function goJsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (isTree(value)) return 'object';
  if (typeof value === 'bigint') return 'number';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
