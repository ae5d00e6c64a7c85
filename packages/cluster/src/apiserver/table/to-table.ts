import type { DynamicObject } from '@coxswain/k8s';
import type { Column, ResourceInfo, ToTable } from '../types.ts';
import { plainColumns } from './columns.ts';
import { ageOf } from './human-duration.ts';
import { rowConditions } from './row-conditions.ts';

function definitionOf({ name, type, format = '', description = '', priority = 0 }: Column): object {
  return { name, type, format, description, priority };
}

/** Dates of custom resources are shown as ages; built-in kinds word their ages themselves. */
function cellOf(column: Column, object: DynamicObject, builtIn: boolean, now: number): unknown {
  const value = column.value(object, now);
  if (value === undefined) return null;
  return !builtIn && column.type === 'date' ? ageOf(value, now) : value;
}

const generationMark = 'deprecated.daemonset.template.generation';

/** Rows are made before the mark is: it is what versions of an API show of a field that is no longer in them. */
function metadataOf({ metadata }: DynamicObject, { group, kind }: ResourceInfo): object {
  if (group !== 'apps' || kind !== 'DaemonSet') return metadata;
  const { annotations, ...rest } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => key !== generationMark);
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

function rowObject(
  object: DynamicObject,
  resource: ResourceInfo,
  includeObject: string,
  apiVersion: string,
): object | null {
  if (includeObject === 'None') return null;
  if (includeObject === 'Object') return object;
  return { kind: 'PartialObjectMetadata', apiVersion, metadata: metadataOf(object, resource) };
}

const definitions = new WeakMap<readonly Column[], readonly object[]>();

function definitionsOf({ columns }: ResourceInfo): readonly object[] {
  let found = definitions.get(columns);
  if (!found) {
    found = columns.map(definitionOf);
    definitions.set(columns, found);
  }
  return found;
}

/** Built-in kinds without columns of their own have no list of rows, not even an empty one, when there are none. */
function noRows({ builtIn, columns }: ResourceInfo): readonly object[] | null {
  return builtIn && columns === plainColumns ? null : [];
}

/** The Table form of objects (`spec/embedded.md` §1.5): what `kubectl get` prints. */
export const toTable: ToTable = (resource, objects, { includeObject = 'Metadata', metadata, now, version = 'v1' }) => ({
  kind: 'Table',
  apiVersion: `meta.k8s.io/${version}`,
  metadata,
  columnDefinitions: definitionsOf(resource),
  rows:
    objects.length === 0
      ? noRows(resource)
      : objects.map((object) => {
          const cells = resource.columns.map((column) => cellOf(column, object, resource.builtIn, now));
          const conditions = rowConditions(resource, object);
          return {
            cells,
            ...(conditions.length > 0 ? { conditions } : {}),
            object: rowObject(object, resource, includeObject, `meta.k8s.io/${version}`),
          };
        }),
});
