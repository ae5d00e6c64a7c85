import { createHash } from 'node:crypto';
import type { ResourceInfo } from '../types.ts';
import type { ServedGroup } from './groups.ts';
import { subresourcesOf } from './subresources.ts';

function kindRef(resource: ResourceInfo, subresource?: { kind: string; group?: string; version?: string }) {
  // Built-in kinds leave group and version empty where they are the resource's own.
  const own = resource.builtIn ? { group: '', version: '' } : resource;
  return {
    group: subresource?.group ?? own.group,
    version: subresource?.version ?? own.version,
    kind: subresource?.kind ?? resource.kind,
  };
}

function resourceEntry(resource: ResourceInfo) {
  const subresources = subresourcesOf(resource);
  return {
    resource: resource.plural,
    responseKind: kindRef(resource),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(subresources.length > 0
      ? {
          subresources: subresources.map((subresource) => ({
            subresource: subresource.name,
            responseKind: kindRef(resource, subresource),
            verbs: subresource.verbs,
          })),
        }
      : {}),
  };
}

/** The `APIGroupDiscoveryList` of `apidiscovery.k8s.io/v2`: one document with everything (`spec/embedded.md` §1.2). */
export function aggregatedDocument(groups: readonly ServedGroup[]): object {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map((group) => ({
      metadata: group.name === '' ? {} : { name: group.name },
      versions: group.versions.map(({ version, resources }) => ({
        version,
        resources: resources.map(resourceEntry),
        freshness: 'Current',
      })),
    })),
  };
}

/** A strong ETag for a document. */
export function etagOf(document: object): string {
  return `"${createHash('sha512').update(JSON.stringify(document)).digest('hex').toUpperCase()}"`;
}
