import { isObject, own } from '../json.ts';
import type { SchemaNode } from '../node.ts';
import type { PrintColumn, ResourceDefinition, ScalePaths } from '../resource/types.ts';
import { ImportError } from './errors.ts';
import { readSchema } from './read-schema.ts';

/** What a CRD says that code can say. */
export interface CrdContent {
  readonly names: Pick<
    ResourceDefinition,
    'group' | 'kind' | 'plural' | 'singular' | 'listKind' | 'shortNames' | 'categories' | 'scope' | 'metadata'
  >;
  readonly versions: readonly VersionContent[];
  /** The version in which objects are stored. */
  readonly storage: string;
  /** Objects are converted by a webhook. */
  readonly hasWebhook: boolean;
}

export interface VersionContent {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly printColumns: readonly PrintColumn[];
  readonly status: boolean;
  readonly scale?: ScalePaths;
  readonly selectableFields: readonly string[];
  readonly deprecated: boolean | string;
  readonly served: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a manifest of `apiextensions.k8s.io/v1`. What the server fills in and what it keeps of its own is left out.
 * @throws ImportError naming what cannot be read
 */
export function readCrd(crd: unknown): CrdContent {
  if (!isObject(crd)) throw new ImportError('', 'a CustomResourceDefinition must be an object');
  const { apiVersion, kind } = crd;
  if (kind !== 'CustomResourceDefinition' || typeof apiVersion !== 'string') {
    throw new ImportError('', `this is ${apiVersion} ${kind}, not a CustomResourceDefinition`);
  }
  if (apiVersion !== 'apiextensions.k8s.io/v1') {
    const advice =
      'it is no longer served; let a cluster before 1.22 convert it, or ask for the manifest of a newer release';
    throw new ImportError('apiVersion', `only apiextensions.k8s.io/v1 can be read, not ${apiVersion}: ${advice}`);
  }
  const spec = object(crd, 'spec', '');
  if (spec['preserveUnknownFields'] === true) {
    throw new ImportError(
      'spec.preserveUnknownFields',
      'its schema is not in force while this is true; set it to false',
    );
  }
  const versions = list(spec, 'versions', 'spec').map(readVersion);
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    throw new ImportError('spec.versions', 'two versions have the same name');
  }
  return {
    names: readNames(crd, spec),
    versions,
    storage: storageOf(list(spec, 'versions', 'spec'), versions),
    hasWebhook: isObject(spec['conversion']) && spec['conversion']['strategy'] === 'Webhook',
  };
}

function readNames(crd: Fields, spec: Fields): CrdContent['names'] {
  const names = object(spec, 'names', 'spec');
  const [group, kind, plural] = [
    text(spec, 'group', 'spec'),
    text(names, 'kind', 'spec.names'),
    text(names, 'plural', 'spec.names'),
  ];
  const scope = text(spec, 'scope', 'spec');
  if (scope !== 'Namespaced' && scope !== 'Cluster') {
    throw new ImportError('spec.scope', `must be Namespaced or Cluster, not ${JSON.stringify(scope)}`);
  }
  if (!/^[A-Za-z][A-Za-z0-9-]*$/.test(kind))
    throw new ImportError('spec.names.kind', `${JSON.stringify(kind)} is no name of a kind`);
  if (!/^[a-z0-9.-]+$/.test(group)) throw new ImportError('spec.group', `${JSON.stringify(group)} is no DNS name`);
  const metadata = readMetadata(object(crd, 'metadata', ''), `${plural}.${group}`);
  const [singular, listKind] = [
    optionalText(names, 'singular', 'spec.names'),
    optionalText(names, 'listKind', 'spec.names'),
  ];
  return {
    group,
    kind,
    plural,
    ...(singular && singular !== kind.toLowerCase() && { singular }),
    ...(listKind && listKind !== `${kind}List` && { listKind }),
    ...(names['shortNames'] != null && { shortNames: texts(names, 'shortNames', 'spec.names') }),
    ...(names['categories'] != null && { categories: texts(names, 'categories', 'spec.names') }),
    scope,
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

function readMetadata(metadata: Fields, expected: string): NonNullable<ResourceDefinition['metadata']> {
  if (metadata['name'] !== expected) {
    throw new ImportError('metadata.name', `must be ${expected}: the plural, a dot and the group`);
  }
  const { [lastApplied]: _, ...annotations } = stringMap(metadata, 'annotations');
  const labels = stringMap(metadata, 'labels');
  return {
    ...(Object.keys(annotations).length > 0 && { annotations }),
    ...(Object.keys(labels).length > 0 && { labels }),
  };
}

function readVersion(value: unknown, index: number): VersionContent {
  const path = `spec.versions[${index}]`;
  if (!isObject(value)) throw new ImportError(path, 'must be an object');
  const subresources = value['subresources'] == null ? {} : object(value, 'subresources', path);
  const schema = readSchema(object(value, 'schema', path)['openAPIV3Schema'], `${path}.schema.openAPIV3Schema`);
  if (schema.type !== 'object') throw new ImportError(`${path}.schema.openAPIV3Schema.type`, 'must be object');
  const warning = optionalText(value, 'deprecationWarning', path);
  const scale = subresources['scale'] == null ? undefined : readScale(object(subresources, 'scale', path), path);
  const name = text(value, 'name', path);
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name)) {
    throw new ImportError(`${path}.name`, `${JSON.stringify(name)} is no name of a version`);
  }
  return {
    name,
    schema,
    printColumns: (value['additionalPrinterColumns'] == null ? [] : list(value, 'additionalPrinterColumns', path)).map(
      (column, at) => readColumn(column, `${path}.additionalPrinterColumns[${at}]`),
    ),
    status: subresources['status'] != null,
    ...(scale && { scale }),
    selectableFields: (value['selectableFields'] == null ? [] : list(value, 'selectableFields', path)).map(
      (field, at) => text(isObject(field) ? field : {}, 'jsonPath', `${path}.selectableFields[${at}]`),
    ),
    deprecated: value['deprecated'] === true && (warning ?? true),
    served: value['served'] !== false,
  };
}

function readScale(scale: Fields, path: string): ScalePaths {
  const labelSelectorPath = optionalText(scale, 'labelSelectorPath', `${path}.subresources.scale`);
  return {
    specReplicasPath: text(scale, 'specReplicasPath', `${path}.subresources.scale`),
    statusReplicasPath: text(scale, 'statusReplicasPath', `${path}.subresources.scale`),
    ...(labelSelectorPath !== undefined && { labelSelectorPath }),
  };
}

const columnTypes = ['string', 'integer', 'number', 'boolean', 'date'] as const;

function readColumn(column: unknown, path: string): PrintColumn {
  if (!isObject(column)) throw new ImportError(path, 'must be an object');
  const type = columnTypes.find((name) => name === column['type']);
  if (!type) throw new ImportError(`${path}.type`, `must be one of ${columnTypes.join(', ')}`);
  const [format, description] = [optionalText(column, 'format', path), optionalText(column, 'description', path)];
  const priority = column['priority'] ?? undefined;
  if (priority !== undefined && typeof priority !== 'number')
    throw new ImportError(`${path}.priority`, 'must be a number');
  return {
    name: text(column, 'name', path),
    type,
    jsonPath: text(column, 'jsonPath', path),
    ...(format !== undefined && { format }),
    ...(priority !== undefined && { priority }),
    ...(description !== undefined && { description }),
  };
}

function storageOf(raw: readonly unknown[], versions: readonly VersionContent[]): string {
  const stored = versions.filter((_, index) => {
    const version = raw[index];
    return isObject(version) && version['storage'] === true;
  });
  const [only, second] = stored;
  if (!only || second) throw new ImportError('spec.versions', 'exactly one version must have storage: true');
  return only.name;
}

function object(parent: Fields, name: string, path: string): Fields {
  const value = own({ ...parent }, name);
  if (!isObject(value)) throw new ImportError(at(path, name), 'must be an object');
  return value;
}

function list(parent: Fields, name: string, path: string): readonly unknown[] {
  const value = parent[name];
  if (!Array.isArray(value)) throw new ImportError(at(path, name), 'must be a list');
  return value;
}

function texts(parent: Fields, name: string, path: string): readonly string[] {
  return list(parent, name, path).map((item, index) => text({ [index]: item }, String(index), at(path, name)));
}

function text(parent: Fields, name: string, path: string): string {
  const value = optionalText(parent, name, path);
  if (value === undefined) throw new ImportError(at(path, name), 'is missing');
  return value;
}

function optionalText(parent: Fields, name: string, path: string): string | undefined {
  const value = parent[name] ?? undefined;
  if (value !== undefined && typeof value !== 'string') throw new ImportError(at(path, name), 'must be a string');
  return value;
}

function stringMap(metadata: Fields, name: string): Readonly<Record<string, string>> {
  const value = metadata[name] == null ? {} : object(metadata, name, 'metadata');
  return Object.fromEntries(Object.keys(value).map((key) => [key, text(value, key, `metadata.${name}`)]));
}

function at(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
