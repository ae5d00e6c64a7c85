import type { KubeObject } from './object.ts';

/**
 * A kind as a value. Clients, informers and controllers take it instead of strings, and the object's type rides along.
 * `group` is `''` for core. `plural` is the name in URLs.
 */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Namespaced' | 'Cluster';
  /** Never set; carries the type of the object. */
  readonly __object?: T;
}

/** The `T` of a `Kind<T>`. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** `v1`, `apps/v1` … as written in an object's `apiVersion`. */
export function apiVersionOf(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** Splits an `apiVersion` into group (`''` for core) and version. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** `pods`, `deployments.apps` … as `kubectl` and error messages name a resource. */
export function resourceName(kind: Pick<Kind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** Whether two kinds are the same resource, whatever their version. */
export function sameResource(a: Pick<Kind, 'group' | 'plural'>, b: Pick<Kind, 'group' | 'plural'>): boolean {
  return a.group === b.group && a.plural === b.plural;
}

/** Path of a collection, or of one object when `name` is given. `namespace` is ignored for cluster-scoped kinds. */
export function pathOf(kind: Kind, namespace?: string, name?: string, subresource?: string): string {
  let path = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  if (kind.scope === 'Namespaced' && namespace) path += `/namespaces/${encodeURIComponent(namespace)}`;
  path += `/${kind.plural}`;
  if (name !== undefined) path += `/${encodeURIComponent(name)}`;
  return subresource ? `${path}/${subresource}` : path;
}
