import type { SchemaNode } from '../node.ts';
import { nodeAt } from '../structural/node-at.ts';
import { type FieldPath, pathText } from './field-path.ts';
import type { ColumnDefinition, PrintColumn, ResourceDefinition, SettledDefinition } from './types.ts';

/**
 * The definition with its paths as text and the types of its columns.
 * @throws TypeError for a path that leads to no field of the schema, and for a column whose type cannot be told
 */
export function settlePaths(definition: ResourceDefinition, schema: SchemaNode): SettledDefinition {
  const { printColumns, subresources, selectableFields, ...rest } = definition;
  const what = `defineResource ${definition.kind}`;
  const settle = (field: string, path: FieldPath<never>): string => {
    const text = settled(`${what}: ${field}`, path);
    if (definition.uncheckedPaths || nodeAt(schema, text) !== undefined) return text;
    throw new TypeError(`${what}: ${field} is ${JSON.stringify(text)}, which is no field of the schema`);
  };
  const { scale } = subresources ?? {};
  return {
    ...rest,
    ...(printColumns && { printColumns: printColumns.map((column) => columnOf(column, schema, what, settle)) }),
    ...(subresources && {
      subresources: {
        ...(subresources.status !== undefined && { status: subresources.status }),
        ...(scale && {
          scale: {
            specReplicasPath: settle('specReplicasPath', scale.specReplicasPath),
            statusReplicasPath: settle('statusReplicasPath', scale.statusReplicasPath),
            ...(scale.labelSelectorPath !== undefined && {
              labelSelectorPath: settle('labelSelectorPath', scale.labelSelectorPath),
            }),
          },
        }),
      },
    }),
    ...(selectableFields && { selectableFields: selectableFields.map((path) => settle('selectableFields', path)) }),
  };
}

function settled(field: string, path: FieldPath<never>): string {
  try {
    return pathText(path);
  } catch (error) {
    throw new TypeError(`${field}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

function columnOf(
  column: ColumnDefinition<never>,
  schema: SchemaNode,
  what: string,
  settle: (field: string, path: FieldPath<never>) => string,
): PrintColumn {
  const jsonPath = settle(`jsonPath of column ${column.name}`, column.jsonPath);
  const type = column.type ?? typeAt(schema, jsonPath);
  if (type) return { ...column, jsonPath, type };
  throw new TypeError(
    `${what}: the schema does not tell the type of ${jsonPath}; give the type of column ${column.name}`,
  );
}

function typeAt(schema: SchemaNode, path: string): PrintColumn['type'] | undefined {
  if (path === '.metadata.creationTimestamp') return 'date';
  const node = nodeAt(schema, path);
  if (node === undefined || node === 'unknown') return undefined;
  if (node.type === 'integer' || node.type === 'number' || node.type === 'boolean') return node.type;
  if (node.format === 'date-time') return 'date';
  return node.type === 'string' || node['x-kubernetes-int-or-string'] ? 'string' : undefined;
}
