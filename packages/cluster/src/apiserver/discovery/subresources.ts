import type { ResourceInfo, SubresourceInfo } from '../types.ts';

const readWrite = ['get', 'patch', 'update'];

/** All subresources of a resource: by name for built-in kinds, status before scale for custom ones. */
export function subresourcesOf(resource: ResourceInfo): readonly SubresourceInfo[] {
  const all: SubresourceInfo[] = [...(resource.subresources ?? [])];
  if (resource.scale) all.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: readWrite });
  if (resource.status) all.push({ name: 'status', kind: resource.kind, verbs: readWrite });
  return resource.builtIn ? all.sort((a, b) => (a.name < b.name ? -1 : 1)) : all.reverse();
}
