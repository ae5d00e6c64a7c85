import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { SchemaNode } from '../node.ts';
import { nodeAt } from '../structural/node-at.ts';
import { validateColumns, validateSelectableFields, validateSubresources } from '../structural/version-paths.ts';
import { asError, type Problem } from './problem.ts';

type Version = CustomResourceDefinition['spec']['versions'][number];

/** Schema types whose values a column of a type shows. */
const shownBy: Readonly<Record<string, readonly string[]>> = {
  integer: ['integer'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  date: ['string'],
};

/** What the server refuses in columns, selectable fields and the scale subresource; else paths that find nothing in the schema. */
export function pathProblems(version: Version, schema: SchemaNode, field: string): readonly Problem[] {
  const refused = [
    ...validateSubresources(version.subresources, `${field}.subresources`),
    ...validateColumns({ ...version }, `${field}.additionalPrinterColumns`),
    ...validateSelectableFields({ ...version }, `${field}.selectableFields`),
  ];
  return refused.length > 0 ? refused.map(asError) : uselessPaths(version, schema, field);
}

function uselessPaths(version: Version, schema: SchemaNode, field: string): readonly Problem[] {
  const columns = (version.additionalPrinterColumns ?? []).flatMap((column, index) =>
    columnProblem(column, schema, `${field}.additionalPrinterColumns[${index}]`),
  );
  const scale = Object.entries(version.subresources?.scale ?? {}).flatMap(([name, path]) =>
    missing(path, schema, `${field}.subresources.scale.${name}`),
  );
  return [...columns, ...scale];
}

type Column = NonNullable<Version['additionalPrinterColumns']>[number];

function columnProblem({ name, type, jsonPath }: Column, schema: SchemaNode, field: string): readonly Problem[] {
  const absent = missing(jsonPath, schema, `${field}.jsonPath`);
  if (absent.length > 0) return absent;
  const found = nodeAt(schema, jsonPath);
  const types = shownBy[type];
  if (found === 'unknown' || found?.type === undefined || !types || types.includes(found.type)) return [];
  const message = `column ${name} is of type ${type} and ${jsonPath} of type ${found.type}: it shows no value`;
  return [{ severity: 'warning', field: `${field}.type`, message }];
}

function missing(path: string, schema: SchemaNode, field: string): readonly Problem[] {
  if (nodeAt(schema, path) !== undefined) return [];
  return [{ severity: 'warning', field, message: `${path} is no field of the schema: there is never a value` }];
}
