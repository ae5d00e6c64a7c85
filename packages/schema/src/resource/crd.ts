import type { CustomResourceDefinition } from '@coxswain/k8s';
import type { SchemaNode } from '../node.ts';
import type { PrintColumn, ResourceDefinition } from './types.ts';

/** The manifest of a definition; keys are in alphabetical order, so that its text is stable. */
export function crdOf(definition: ResourceDefinition, schema: SchemaNode): CustomResourceDefinition {
  const { group, kind, plural, scope } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { ...definition.metadata, name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        ...(definition.categories && { categories: definition.categories }),
        kind,
        listKind: definition.listKind ?? `${kind}List`,
        plural,
        ...(definition.shortNames && { shortNames: definition.shortNames }),
        singular: definition.singular ?? kind.toLowerCase(),
      },
      scope,
      versions: [versionOf(definition, schema)],
    },
  };
}

function versionOf(definition: ResourceDefinition, schema: SchemaNode) {
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
    storage: true,
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
