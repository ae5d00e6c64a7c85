import { definitionName } from '../builtin/resources.ts';
import type { ResourceInfo } from '../types.ts';

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The words of a group: `rbac.authorization.k8s.io` → `rbacAuthorization`, `''` → `core`. */
export function groupWord(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...rest] = group.replace(/\.k8s\.io$/, '').split(/[.-]/);
  return first + rest.map(capital).join('');
}

export const tagOf = ({ group, version }: Pick<ResourceInfo, 'group' | 'version'>): string =>
  `${groupWord(group)}_${version}`;

/** `AppsV1`: what names of operations have in the middle. */
export const versionWord = ({ group, version }: Pick<ResourceInfo, 'group' | 'version'>): string =>
  capital(groupWord(group)) + capital(version);

export { capital };

/** Under which name a resource's kind is published: custom groups are reversed, `com.example.v1.Widget`. */
export function publishedName(resource: ResourceInfo): string {
  if (resource.builtIn) return definitionName(resource.group, resource.version, resource.kind);
  return [...resource.group.split('.').reverse(), resource.version, resource.kind].join('.');
}

export const pointer = (name: string): { readonly $ref: string } => ({ $ref: `#/components/schemas/${name}` });
