import { listAt, objectAt, objectsAt, textAt } from '../builtin/shared/draft.ts';
import type { Column } from '../types.ts';
import { column, createdAt, name, specOf, statusOf, wide } from './cells.ts';

const names = (object: Parameters<Column['value']>[0]) => objectAt(specOf(object), 'names');

const servedVersions: Column['value'] = (object) =>
  objectsAt(specOf(object), 'versions')
    .filter((version) => version.served === true)
    .map((version) => `${textAt(version, 'name')}${version.storage === true ? '(storage)' : ''}`)
    .sort()
    .join(',');

const isEstablished: Column['value'] = (object) =>
  objectsAt(statusOf(object), 'conditions').some(({ type, status }) => type === 'Established' && status === 'True');

/** CustomResourceDefinitions. */
export const definitionTables: Readonly<Record<string, readonly Column[]>> = {
  'apiextensions.k8s.io/customresourcedefinitions': [
    name,
    { ...column('Scope', (object) => textAt(specOf(object), 'scope')), description: 'Cluster/Namespaced' },
    { ...column('Versions', servedVersions), description: 'Served versions' },
    createdAt,
    { ...wide('Group', (object) => textAt(specOf(object), 'group')), description: 'API group' },
    { ...wide('Kind', (object) => textAt(names(object), 'kind')), description: 'CustomResource kind' },
    { ...wide('ShortNames', (object) => listAt(names(object), 'shortNames').join(',')), description: 'Short names' },
    { ...wide('Established', isEstablished, 'boolean'), description: 'Established status' },
  ],
};
