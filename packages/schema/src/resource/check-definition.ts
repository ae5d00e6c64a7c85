import type { CsvHints } from '../csv/hints.ts';
import type { ColumnDefinition, ResourceDefinition, ScaleDefinition } from './types.ts';

type Names<O> = Readonly<Record<keyof Required<O>, true>>;

const definitionNames: Names<ResourceDefinition> = {
  group: true,
  version: true,
  kind: true,
  plural: true,
  singular: true,
  listKind: true,
  shortNames: true,
  categories: true,
  scope: true,
  metadata: true,
  description: true,
  spec: true,
  specOptional: true,
  status: true,
  root: true,
  rules: true,
  with: true,
  printColumns: true,
  subresources: true,
  selectableFields: true,
  uncheckedPaths: true,
  deprecated: true,
  csv: true,
  served: true,
};
const columnNames: Names<ColumnDefinition<never>> = {
  name: true,
  type: true,
  jsonPath: true,
  format: true,
  priority: true,
  description: true,
};
const subresourceNames: Names<NonNullable<ResourceDefinition['subresources']>> = { status: true, scale: true };
const scaleNames: Names<ScaleDefinition<never>> = {
  specReplicasPath: true,
  statusReplicasPath: true,
  labelSelectorPath: true,
};
const csvNames: Names<CsvHints> = { displayName: true, description: true, order: true, resources: true };
const metadataNames: Names<NonNullable<ResourceDefinition['metadata']>> = { annotations: true, labels: true };

const label = /^[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const domain = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)+$/;
const camelCase = /^[A-Z][A-Za-z0-9]{0,62}$/;
const versionName = /^v[1-9]\d*(?:(?:alpha|beta)[1-9]\d*)?$/;
const columnTypes: readonly unknown[] = ['string', 'integer', 'number', 'boolean', 'date'];

/**
 * Refuses what a server would refuse, or what would mean nothing to it, where it is written and not when the CRD is installed.
 * @throws TypeError naming the kind and the field
 */
export function checkDefinition(definition: ResourceDefinition): void {
  const { kind, group, version, scope } = definition;
  const refuse = refuserOf(`defineResource ${kind}`);
  refuse.unknown('definition', definition, definitionNames);
  if (!matches(camelCase, kind)) refuse('kind', kind, 'CamelCase, as RedisCluster: letters and digits, 63 at most');
  if (!matches(domain, group) || group.length > 253)
    refuse('group', group, 'a domain in lower case, as cache.example.com');
  if (!matches(versionName, version)) refuse('version', version, 'v1, v1beta1, v2alpha3 and the like');
  if (scope !== 'Namespaced' && scope !== 'Cluster') refuse('scope', scope, '"Namespaced" or "Cluster"');
  checkNames(definition, refuse);
  checkShown(definition, refuse);
}

function checkNames(definition: ResourceDefinition, refuse: Refuser): void {
  const { plural, singular, listKind, kind, shortNames, categories, metadata } = definition;
  if (!matches(label, plural)) refuse('plural', plural, `lower case, as ${String(kind).toLowerCase()}s`);
  if (singular !== undefined && !matches(label, singular)) refuse('singular', singular, 'lower case');
  if (listKind !== undefined && (!matches(camelCase, listKind) || listKind === kind))
    refuse('listKind', listKind, `CamelCase and not the kind itself, as ${kind}List`);
  for (const [field, names] of Object.entries({ shortNames, categories })) {
    if (names === undefined) continue;
    const good = Array.isArray(names) && names.every((name) => matches(label, name));
    if (!good || new Set(names).size < names.length)
      refuse(field, names, 'a list of words in lower case, none of them twice');
  }
  refuse.unknown('metadata', metadata, metadataNames);
  refuse.unknown('csv', definition.csv, csvNames);
}

function checkShown({ printColumns, subresources, selectableFields }: ResourceDefinition, refuse: Refuser): void {
  for (const column of printColumns ?? []) {
    refuse.unknown('printColumns', column, columnNames);
    if (!column.name) refuse('printColumns', column, 'columns with a name');
    if (column.type !== undefined && !columnTypes.includes(column.type))
      refuse(`type of column ${column.name}`, column.type, columnTypes.join(', '));
    if (!isPath(column.jsonPath)) refuse(`jsonPath of column ${column.name}`, column.jsonPath, pathRule);
  }
  refuse.unknown('subresources', subresources, subresourceNames);
  refuse.unknown('subresources.scale', subresources?.scale, scaleNames);
  for (const [field, path] of Object.entries(subresources?.scale ?? {}))
    if (!isPath(path)) refuse(field, path, pathRule);
  for (const path of selectableFields ?? []) if (!isPath(path)) refuse('selectableFields', path, pathRule);
}

const pathRule = 'a path that begins with a dot, as .status.phase, or an accessor';
const isPath = (path: unknown): boolean =>
  typeof path === 'function' || (typeof path === 'string' && /^\.\S/.test(path));

function matches(pattern: RegExp, text: unknown): boolean {
  return typeof text === 'string' && pattern.test(text);
}

/** Throws what is wrong with one field. */
interface Refuser {
  (field: string, value: unknown, instead: string): never;
  /** Throws when `part` has a field that is not among `known`; an absent part is fine. */
  unknown(part: string, value: unknown, known: Readonly<Record<string, true>>): void;
}

function refuserOf(what: string): Refuser {
  const refuse = (field: string, value: unknown, instead: string): never => {
    throw new TypeError(`${what}: ${field} is ${JSON.stringify(value)}; give ${instead}`);
  };
  const unknown = (part: string, value: unknown, known: Readonly<Record<string, true>>) => {
    if (value === undefined) return;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(part, value, 'an object');
    const field = Object.keys(value as object).find((name) => !Object.hasOwn(known, name));
    if (field === undefined) return;
    throw new TypeError(`${what}: unknown field \`${field}\` in ${part}; known are ${Object.keys(known).join(', ')}`);
  };
  return Object.assign(refuse, { unknown });
}
