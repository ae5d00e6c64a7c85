import type { DynamicObject } from '@coxswain/k8s';
import { type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { compileJsonPath, type JsonPath } from '../table/json-path.ts';
import type { Column } from '../types.ts';

type Cell = string | number | boolean | undefined;

/** Keys of maps are printed in order. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The first value found as a cell of the declared type; what does not fit the type is left empty. */
function cellOf([value]: readonly unknown[], type: string): Cell {
  if (value === undefined || value === null) return undefined;
  switch (type) {
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'date':
      return typeof value === 'string' ? value : undefined;
    default:
      return typeof value === 'string' ? value : JSON.stringify(value, inOrder);
  }
}

function pathOf(column: ReadJson): JsonPath {
  try {
    return compileJsonPath(textAt(column, 'jsonPath'));
  } catch {
    // A definition stored by an older server may hold a path this one cannot read; its cells stay empty.
    return () => [];
  }
}

function columnOf(column: ReadJson): Column {
  const type = textAt(column, 'type') as Column['type'];
  const path = pathOf(column);
  return {
    name: textAt(column, 'name'),
    type,
    ...(column.format === undefined ? {} : { format: textAt(column, 'format') }),
    description:
      textAt(column, 'description') ||
      `Custom resource definition column (in JSONPath format): ${textAt(column, 'jsonPath')}`,
    ...(typeof column.priority === 'number' ? { priority: column.priority } : {}),
    value: (object: DynamicObject) => cellOf(path(object), type),
  };
}

/** The columns of a custom resource: its name, then the declared ones, or the age when none are declared. */
export function customColumns(declared: readonly ReadJson[], name: Column, age: Column): readonly Column[] {
  return declared.length === 0 ? [name, age] : [name, ...declared.map(columnOf)];
}
