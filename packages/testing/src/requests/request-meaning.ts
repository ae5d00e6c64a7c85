/** What a request is about, in the words of RBAC. For a path that is no resource (`/version`, discovery) only `verb` and `path` say something. */
export interface RequestMeaning {
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`; `get` … as the method in small letters for other paths. */
  readonly verb: string;
  readonly path: string;
  /** Whether the path is one of a resource. */
  readonly isResource: boolean;
  /** `''` is the core group. */
  readonly group: string;
  /** Plural: `pods`. */
  readonly resource: string;
  /** `''`: the object itself. */
  readonly subresource: string;
  /** `''`: none, or all. */
  readonly namespace: string;
  /** `''`: a collection. A list or watch that selects one `metadata.name` is about that object. */
  readonly name: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Parts of a namespace itself; all else under it is a resource in it. */
const namespaceParts: readonly (string | undefined)[] = ['status', 'finalize'];

/**
 * Reads a request the way the API server does before it authorizes it.
 * @param path percent-encoded, without the query
 */
export function requestMeaning(
  method: string,
  path: string,
  query: Readonly<Record<string, string | undefined>> = {},
): RequestMeaning {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root] = parts;
  const start = root === 'api' ? 2 : 3;
  if ((root !== 'api' && root !== 'apis') || parts.length <= start) {
    const nothing = { group: '', resource: '', subresource: '', namespace: '', name: '' };
    return { verb: method.toLowerCase(), path, isResource: false, ...nothing };
  }
  const group = root === 'api' ? '' : (parts[1] ?? '');
  const rest = parts.slice(start);
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !namespaceParts.includes(rest[2]);
  const [resource = '', named = '', ...deeper] = inNamespace ? rest.slice(2) : rest;
  const namespace = inNamespace || resource === 'namespaces' ? (rest[1] ?? '') : '';
  const name = named || (method === 'POST' ? '' : selectedName(query['fieldSelector']));
  const verb = verbOf(method, named === '', query);
  return { verb, path, isResource: true, group, resource, subresource: deeper.join('/'), namespace, name };
}

function verbOf(method: string, collection: boolean, query: Readonly<Record<string, string | undefined>>): string {
  if (method === 'GET' || method === 'HEAD') {
    if (query['watch'] === 'true' || query['watch'] === '1') return 'watch';
    return collection ? 'list' : 'get';
  }
  const verb = verbs[method] ?? method.toLowerCase();
  return verb === 'delete' && collection ? 'deletecollection' : verb;
}

function selectedName(selector: string | undefined): string {
  return selector?.split(',').flatMap((term) => /^metadata\.name==?(.+)$/.exec(term)?.[1] ?? [])[0] ?? '';
}
