import type { ResourceInfo } from '../types.ts';
import type { ServedGroup } from './groups.ts';
import { storageVersionHash } from './storage-version-hash.ts';
import { subresourcesOf } from './subresources.ts';

function groupVersion(group: string, version: string) {
  return { groupVersion: group === '' ? version : `${group}/${version}`, version };
}

function groupEntry(group: ServedGroup) {
  const versions = group.versions.map(({ version }) => groupVersion(group.name, version));
  return { name: group.name, versions, preferredVersion: versions[0] };
}

/** The `APIVersions` of `/api`. `address` is `host:port` as the client should see it. */
export function coreVersions(address: string): object {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

/** The `APIGroupList` of `/apis`. */
export function groupList(groups: readonly ServedGroup[]): object {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: groups.filter((group) => group.name !== '').map(groupEntry),
  };
}

/** The `APIGroup` of `/apis/GROUP`. */
export function groupDocument(group: ServedGroup): object {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

/** Kinds that the real server still stores in a form it no longer serves. */
const storedInOlderForm: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io/customresourcedefinitions': 'v1beta1',
  'certificates.k8s.io/clustertrustbundles': 'v1beta1',
  'certificates.k8s.io/podcertificaterequests': 'v1beta1',
  'resource.k8s.io/devicetaintrules': 'v1beta2',
  'storagemigration.k8s.io/storageversionmigrations': 'v1beta1',
};

/** Whether objects of the kind are kept: questions, orders and what is made up at each request are not. */
const isStored = ({ answer, objects, postsTo }: ResourceInfo): boolean => !answer && !objects && !postsTo;

/** The form that is stored: for kinds served in several versions, the first one that needs no conversion. */
function hashOf(resource: ResourceInfo, group: ServedGroup): string {
  if (resource.storage === '/events') return storageVersionHash('', 'v1', 'Event');
  const older = resource.builtIn ? storedInOlderForm[`${resource.group}/${resource.plural}`] : undefined;
  if (older !== undefined) return storageVersionHash(resource.group, older, resource.kind);
  const versions = group.versions.flatMap(({ resources }) =>
    resources.filter((other) => other.plural === resource.plural),
  );
  const stored = versions.find((other) => !other.conversion) ?? resource;
  return storageVersionHash(stored.group, stored.version, stored.kind);
}

function resourceEntries(resource: ResourceInfo, group: ServedGroup): readonly object[] {
  const main = {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: resource.verbs,
    ...(resource.shortNames.length > 0 ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length > 0 ? { categories: resource.categories } : {}),
    ...(isStored(resource) ? { storageVersionHash: hashOf(resource, group) } : {}),
  };
  const rest = subresourcesOf(resource).map((subresource) => ({
    name: `${resource.plural}/${subresource.name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(subresource.version === undefined ? {} : { group: subresource.group, version: subresource.version }),
    kind: subresource.kind,
    verbs: subresource.verbs,
  }));
  return [main, ...rest];
}

/** The `APIResourceList` of `/api/v1` or `/apis/GROUP/VERSION`. */
export function resourceList(group: ServedGroup, version: string): object | undefined {
  const served = group.versions.find((candidate) => candidate.version === version);
  if (!served) return undefined;
  return {
    kind: 'APIResourceList',
    // The document of the core group does not say it.
    ...(group.name === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: groupVersion(group.name, version).groupVersion,
    resources: served.resources.flatMap((resource) => resourceEntries(resource, group)),
  };
}
