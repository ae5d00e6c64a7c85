import type { SchemaNode } from '@coxswain/schema';
import { listAt, mapAt, objectAt, objectsAt, type ReadJson, textAt } from '../builtin/shared/draft.ts';

/** The names of a custom resource. */
export interface CrdNames {
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** One version of a CustomResourceDefinition, read tolerantly. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly schema: SchemaNode;
  readonly status: boolean;
  readonly scale: ReadJson | undefined;
  readonly columns: readonly ReadJson[];
  readonly selectable: readonly string[];
  /** Text of the warning; absent when not deprecated. */
  readonly deprecated: string | undefined;
}

/** What serving a CustomResourceDefinition needs of it. */
export interface Crd {
  readonly name: string;
  readonly group: string;
  readonly namespaced: boolean;
  readonly names: CrdNames;
  readonly versions: readonly CrdVersion[];
  readonly deleting: boolean;
}

/** The names in `spec.names` or `status.acceptedNames`. */
export function readNames(names: ReadJson | undefined): CrdNames {
  return {
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    kind: textAt(names, 'kind'),
    listKind: textAt(names, 'listKind'),
    shortNames: listAt(names, 'shortNames').map(String),
    categories: listAt(names, 'categories').map(String),
  };
}

function warningOf(version: ReadJson, group: string, kind: string): string | undefined {
  if (version.deprecated !== true) return undefined;
  const given = textAt(version, 'deprecationWarning');
  return given === '' ? `${group}/${textAt(version, 'name')} ${kind} is deprecated` : given;
}

function versionOf(version: ReadJson, group: string, kind: string): CrdVersion {
  const subresources = objectAt(version, 'subresources');
  return {
    name: textAt(version, 'name'),
    served: version.served === true,
    storage: version.storage === true,
    schema: (objectAt(objectAt(version, 'schema'), 'openAPIV3Schema') ?? {}) as SchemaNode,
    status: objectAt(subresources, 'status') !== undefined,
    scale: objectAt(subresources, 'scale'),
    columns: objectsAt(version, 'additionalPrinterColumns'),
    selectable: objectsAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath')),
    deprecated: warningOf(version, group, kind),
  };
}

/** Reads a stored CustomResourceDefinition. */
export function readCrd(object: ReadJson): Crd {
  const spec = objectAt(object, 'spec');
  // A kind in service has the names it was given, which need not be those it asks for now.
  const accepted = readNames(objectAt(objectAt(object, 'status'), 'acceptedNames'));
  const names = accepted.kind === '' ? readNames(objectAt(spec, 'names')) : accepted;
  const group = textAt(spec, 'group');
  return {
    name: textAt(objectAt(object, 'metadata'), 'name'),
    group,
    namespaced: textAt(spec, 'scope') === 'Namespaced',
    names,
    versions: objectsAt(spec, 'versions').map((version) => versionOf(version, group, names.kind)),
    deleting: objectAt(object, 'metadata')?.deletionTimestamp !== undefined,
  };
}

/** The annotations of any object. */
export function annotationsOf(object: ReadJson): Readonly<Record<string, string>> {
  return mapAt(objectAt(object, 'metadata'), 'annotations');
}
