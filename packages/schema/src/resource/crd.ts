import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { SchemaNode } from '../node.ts';
import type { PrintColumn, ResourceDefinition, SettledDefinition } from './types.ts';

type Names = Omit<ResourceDefinition, 'version'>;

/** One version of a kind, ready for the manifest. */
export interface CrdVersion {
  readonly definition: Pick<
    SettledDefinition,
    'version' | 'printColumns' | 'subresources' | 'selectableFields' | 'deprecated' | 'served'
  >;
  readonly schema: SchemaNode;
  readonly storage: boolean;
}

/** The manifest of a kind; keys are in alphabetical order, so that its text is stable. */
export function crdOf(names: Names, versions: readonly CrdVersion[]): CustomResourceDefinition {
  const { group, kind, plural, scope } = names;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...names.metadata, name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        ...(names.categories && { categories: names.categories }),
        kind,
        listKind: names.listKind ?? `${kind}List`,
        plural,
        ...(names.shortNames && { shortNames: names.shortNames }),
        singular: names.singular ?? kind.toLowerCase(),
      },
      scope,
      versions: versions.map(versionOf),
    },
  };
}

function versionOf({ definition, schema, storage }: CrdVersion) {
  const { printColumns = [], subresources = {}, selectableFields = [], deprecated = false } = definition;
  const { status, scale } = subresources;
  return {
    ...(printColumns.length > 0 && { additionalPrinterColumns: printColumns.map(columnOf) }),
    ...(deprecated !== false && { deprecated: true }),
    ...(typeof deprecated === 'string' && { deprecationWarning: deprecated }),
    name: definition.version,
    schema: { openAPIV3Schema: schema },
    ...(selectableFields.length > 0 && { selectableFields: selectableFields.map((jsonPath) => ({ jsonPath })) }),
    served: definition.served ?? true,
    storage,
    ...((status || scale) && {
      subresources: { ...(scale && { scale }), ...(status && { status: {} }) },
    }),
  };
}

function columnOf({ name, type, jsonPath, format, priority, description }: PrintColumn) {
  return {
    ...(description !== undefined && { description }),
    ...(format !== undefined && { format }),
    jsonPath,
    name,
    ...(priority !== undefined && { priority }),
    type,
  };
}
