import type { DynamicObject } from '@coxswain/k8s';
import { forbidden } from '@coxswain/runtime/core';
import type { SchemaNode } from '@coxswain/schema';
import { type ReadJson, textAt } from '../builtin/shared/draft.ts';
import { ageColumn, nameColumn } from '../table/common-columns.ts';
import { compileJsonPath } from '../table/json-path.ts';
import type { Conversion, ResourceInfo, ScalePaths, Strategy } from '../types.ts';
import { customColumns } from './columns.ts';
import { type Convert, conversionsOf } from './conversion/index.ts';
import type { Crd, CrdVersion } from './crd-object.ts';
import { objectRules } from './object-rules.ts';
import { type ScaleFields, scaleErrors } from './scale-rules.ts';

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** The schema of the whole object: what every object has is known without being declared. */
function wholeSchema(schema: SchemaNode): SchemaNode {
  const { apiVersion, kind, metadata, ...declared } = schema.properties ?? {};
  return {
    ...schema,
    type: 'object',
    properties: {
      apiVersion: apiVersion ?? { type: 'string' },
      kind: kind ?? { type: 'string' },
      metadata: metadata ?? { type: 'object' },
      ...declared,
    },
  };
}

function scalePathsOf(scale: ReadJson): ScalePaths {
  const path = (key: string) => textAt(scale, key).replace(/^\./, '');
  const labelSelector = path('labelSelectorPath');
  return {
    specReplicas: path('specReplicasPath'),
    statusReplicas: path('statusReplicasPath'),
    ...(labelSelector === '' ? {} : { labelSelector }),
  };
}

function selectableOf(paths: readonly string[]): ResourceInfo['selectable'] {
  const entries = paths.map((path): [string, (object: DynamicObject) => string] => {
    const read = compileJsonPath(path);
    return [path.replace(/^\./, ''), (object) => String(read(object)[0] ?? '')];
  });
  return Object.fromEntries(entries);
}

function scaleRules(scale: ReadJson): Pick<Strategy, 'validate'> {
  const fields: ScaleFields = {
    spec: textAt(scale, 'specReplicasPath'),
    status: textAt(scale, 'statusReplicasPath'),
    selector: textAt(scale, 'labelSelectorPath'),
  };
  return { validate: (object, { subresource }) => scaleErrors(object, fields, subresource) };
}

/** Custom objects keep a generation and need a resourceVersion to be replaced; while their kind goes away no new ones come. */
function strategyOf(crd: Crd, version: CrdVersion, schema: SchemaNode): Strategy {
  const base: Strategy = {
    generation: true,
    unconditionalUpdate: false,
    ...(version.scale ? scaleRules(version.scale) : {}),
    ...objectRules(schema),
  };
  if (!crd.deleting) return base;
  return {
    ...base,
    prepareCreate(draft) {
      const resource = { group: crd.group, plural: crd.names.plural };
      const name = textAt(draft.metadata as ReadJson, 'name');
      throw forbidden(resource, name, 'create not allowed while custom resource definition is terminating');
    },
  };
}

function resourceOf(crd: Crd, version: CrdVersion, schema: SchemaNode, conversion: Conversion): ResourceInfo {
  const { names, group } = crd;
  return {
    group,
    version: version.name,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular,
    namespaced: crd.namespaced,
    shortNames: names.shortNames,
    categories: names.categories,
    verbs,
    schema,
    strategy: strategyOf(crd, version, schema),
    columns: customColumns(version.columns, nameColumn, ageColumn),
    status: version.status,
    ...(version.scale ? { scale: scalePathsOf(version.scale) } : {}),
    selectable: selectableOf(version.selectable),
    builtIn: false,
    ...(version.deprecated === undefined ? {} : { deprecated: version.deprecated }),
    storage: `${group}/${names.plural}`,
    conversion,
  };
}

/**
 * What a CustomResourceDefinition asks to be served, one resource a served version. All versions convert to each other.
 * @param convert asks the definition's webhook; absent when it has none
 */
export function resourcesOf(crd: Crd, convert: Convert | undefined): readonly ResourceInfo[] {
  const forms = crd.versions.map(({ name, schema }) => ({
    apiVersion: `${crd.group}/${name}`,
    schema: wholeSchema(schema),
  }));
  const storage = forms[crd.versions.findIndex((version) => version.storage)];
  if (!storage) return [];
  const conversions = conversionsOf(`/${crd.group}/${crd.names.plural}`, forms, storage, convert);
  return crd.versions.flatMap((version, i) => {
    const [form, conversion] = [forms[i], conversions[i]];
    return version.served && form && conversion ? [resourceOf(crd, version, form.schema, conversion)] : [];
  });
}
