import type { ResourceInfo, SubresourceInfo } from '../types.ts';

const readWrite = ['get', 'patch', 'update'];

/** All subresources of a resource, in order of name. */
export function subresourcesOf(resource: ResourceInfo): readonly SubresourceInfo[] {
  const all: SubresourceInfo[] = [...(resource.subresources ?? [])];
  if (resource.scale) all.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readWrite });
  if (resource.status) all.push({ name: 'status', kind: resource.kind, verbs: readWrite });
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}
