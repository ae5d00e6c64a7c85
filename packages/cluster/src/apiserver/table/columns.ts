import type { Column } from '../types.ts';

/** Columns of a built-in kind. */
export function columnsOf(_group: string, _plural: string): readonly Column[] {
  return [];
}
