import { compileSchema } from '../engine/compile-schema.ts';
import type { SchemaNode } from '../node.ts';
import type { Problem } from './problem.ts';

/** Defaults with an item twice where each may be there once: the server takes them, and refuses every object that gets one. */
export function repeatedDefaults(node: SchemaNode, path: string): readonly Problem[] {
  const { default: value, items, properties = {} } = node;
  const repeated = value === undefined || value === null ? [] : compileSchema(node).validate(value);
  const own = repeated
    .filter(({ reason }) => reason === 'FieldValueDuplicate')
    .map(({ message }): Problem => {
      return { severity: 'warning', field: `${path}.default`, message: `${message}: objects that get it are refused` };
    });
  return [
    ...own,
    ...(items ? repeatedDefaults(items, `${path}.items`) : []),
    ...Object.entries(properties).flatMap(([name, child]) => repeatedDefaults(child, `${path}.properties[${name}]`)),
  ];
}
