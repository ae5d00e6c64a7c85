import { definitionName } from '../builtin/resources.ts';
import { subresourcesOf } from '../discovery/subresources.ts';
import type { ResourceInfo, SubresourceInfo } from '../types.ts';
import type { Components, PublishedSchema } from './components.ts';
import { type GroupVersionKind, kindOf, publishedName } from './kinds.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

type PathItem = Record<string, unknown>;

interface Operation {
  readonly action: string;
  readonly kind: GroupVersionKind;
  readonly id: string;
  /** Query parameters, by name. */
  readonly query?: readonly string[];
  readonly body?: PublishedSchema;
  readonly bodyTypes?: readonly string[];
  readonly answer?: PublishedSchema;
}

const parameterTypes: Readonly<Record<string, string>> = {
  allowWatchBookmarks: 'boolean',
  force: 'boolean',
  gracePeriodSeconds: 'integer',
  limit: 'integer',
  orphanDependents: 'boolean',
  sendInitialEvents: 'boolean',
  timeoutSeconds: 'integer',
  watch: 'boolean',
};

const listQuery = [
  'allowWatchBookmarks',
  'continue',
  'fieldSelector',
  'labelSelector',
  'limit',
  'resourceVersion',
  'resourceVersionMatch',
  'sendInitialEvents',
  'timeoutSeconds',
  'watch',
];
const writeQuery = ['dryRun', 'fieldManager', 'fieldValidation'];
const patchQuery = [...writeQuery, 'force'];
const deleteQuery = ['dryRun', 'gracePeriodSeconds', 'orphanDependents', 'propagationPolicy'];
const bodyTypes = ['application/json', 'application/yaml'];
const customPatchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/apply-patch+yaml',
];
const patchTypes = [...customPatchTypes, 'application/strategic-merge-patch+json'];

function queryParameter(name: string): object {
  return { name, in: 'query', schema: { type: parameterTypes[name] ?? 'string', uniqueItems: true } };
}

function pathParameter(name: string): object {
  return { name, in: 'path', required: true, schema: { type: 'string', uniqueItems: true } };
}

function contentOf(types: readonly string[], schema: PublishedSchema): object {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function operation({ action, kind, id, query = [], body, bodyTypes: types = bodyTypes, answer }: Operation): object {
  return {
    operationId: id,
    parameters: query.map(queryParameter),
    ...(body ? { requestBody: { content: contentOf(types, body), required: true } } : {}),
    responses: {
      200: { description: 'OK', ...(answer ? { content: contentOf(bodyTypes, answer) } : {}) },
      401: { description: 'Unauthorized' },
    },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': kind,
  };
}

/** Writes the paths of one resource. */
class ResourcePaths {
  readonly #resource: ResourceInfo;
  readonly #components: Components;
  readonly #paths: Record<string, PathItem>;
  readonly #object: PublishedSchema;
  readonly #kind: GroupVersionKind;
  readonly #root: string;

  constructor(resource: ResourceInfo, components: Components, paths: Record<string, PathItem>) {
    this.#resource = resource;
    this.#components = components;
    this.#paths = paths;
    this.#object = { $ref: `#/components/schemas/${publishedName(resource)}` };
    this.#kind = kindOf(resource);
    const { group, version } = resource;
    this.#root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  }

  write(): void {
    const { namespaced, plural } = this.#resource;
    const scope = namespaced ? [pathParameter('namespace')] : [];
    const collection = `${this.#root}/${namespaced ? 'namespaces/{namespace}/' : ''}${plural}`;
    this.#add(collection, scope, this.#collection());
    if (namespaced && this.#can('list'))
      this.#add(`${this.#root}/${plural}`, [], { get: this.#list('ForAllNamespaces') });
    const named = [pathParameter('name'), ...scope];
    this.#add(`${collection}/{name}`, named, this.#item());
    for (const subresource of subresourcesOf(this.#resource)) {
      this.#add(`${collection}/{name}/${subresource.name}`, named, this.#subresource(subresource));
    }
  }

  #add(path: string, parameters: readonly object[], operations: PathItem): void {
    if (Object.keys(operations).length > 0) this.#paths[path] = { ...operations, parameters };
  }

  #can(verb: string): boolean {
    return this.#resource.verbs.includes(verb);
  }

  #id(action: string, suffix = ''): string {
    const { group, version, namespaced, kind } = this.#resource;
    const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
    const first = group === '' ? 'core' : (group.split('.')[0] ?? '');
    return `${action}${capital(first)}${capital(version)}${namespaced && suffix !== 'ForAllNamespaces' ? 'Namespaced' : ''}${kind}${suffix}`;
  }

  #list(suffix = ''): object {
    const answer = { $ref: `#/components/schemas/${publishedName(this.#resource)}List` };
    return operation({ action: 'list', kind: this.#kind, id: this.#id('list', suffix), query: listQuery, answer });
  }

  #status(): PublishedSchema {
    return this.#components.ref(`${meta}.Status`);
  }

  #collection(): PathItem {
    const kind = this.#kind;
    const object = this.#object;
    const item: PathItem = {};
    if (this.#can('list')) item.get = this.#list();
    if (this.#can('create')) {
      const id = this.#id('create');
      item.post = operation({ action: 'post', kind, id, query: writeQuery, body: object, answer: object });
    }
    if (this.#can('deletecollection')) {
      const id = this.#id('deleteCollection');
      const query = [...new Set([...listQuery, ...deleteQuery])];
      item.delete = operation({ action: 'deletecollection', kind, id, query, answer: this.#status() });
    }
    return item;
  }

  #patch(kind: GroupVersionKind, id: string, answer: PublishedSchema): object {
    const types = this.#resource.builtIn ? patchTypes : customPatchTypes;
    const body = this.#components.ref(`${meta}.Patch`);
    return operation({ action: 'patch', kind, id, query: patchQuery, body, bodyTypes: types, answer });
  }

  #item(): PathItem {
    const kind = this.#kind;
    const object = this.#object;
    const item: PathItem = {};
    if (this.#can('get')) item.get = operation({ action: 'get', kind, id: this.#id('read'), answer: object });
    if (this.#can('update')) {
      const id = this.#id('replace');
      item.put = operation({ action: 'put', kind, id, query: writeQuery, body: object, answer: object });
    }
    if (this.#can('patch')) item.patch = this.#patch(kind, this.#id('patch'), object);
    if (this.#can('delete')) {
      const body = this.#components.ref(`${meta}.DeleteOptions`);
      const id = this.#id('delete');
      item.delete = operation({ action: 'delete', kind, id, query: deleteQuery, body, answer: this.#status() });
    }
    return item;
  }

  #subresource(subresource: SubresourceInfo): PathItem {
    const { name, kind: kindName, group = this.#resource.group, version = this.#resource.version } = subresource;
    const kind = { group, version, kind: kindName };
    const suffix = name.charAt(0).toUpperCase() + name.slice(1);
    const own = kindName === this.#resource.kind;
    const schema = own ? this.#object : this.#components.ref(definitionName(group, version, kindName));
    const item: PathItem = {};
    if (subresource.verbs.includes('get')) {
      item.get = operation({ action: 'get', kind, id: this.#id('read', suffix), answer: schema });
    }
    if (subresource.verbs.includes('create')) {
      item.post = operation({ action: 'post', kind, id: this.#id('create', suffix), query: writeQuery, body: schema });
    }
    if (subresource.verbs.includes('update')) {
      const id = this.#id('replace', suffix);
      item.put = operation({ action: 'put', kind, id, query: writeQuery, body: schema, answer: schema });
    }
    if (subresource.verbs.includes('patch')) item.patch = this.#patch(kind, this.#id('patch', suffix), schema);
    return item;
  }
}

/** The paths of the resources of one group and version. */
export function pathsOf(resources: readonly ResourceInfo[], components: Components): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const resource of resources) new ResourcePaths(resource, components, paths).write();
  return paths;
}
