import type { Registry, ResourceInfo } from '../types.ts';

/** One served version of a group with its resources in order of name. */
export interface ServedVersion {
  readonly version: string;
  readonly resources: readonly ResourceInfo[];
}

/** A group with its versions, the preferred one first. `name` is `''` for core. */
export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly ServedVersion[];
}

interface VersionRank {
  readonly stage: number;
  readonly major: number;
  readonly minor: number;
}

function rankOf(version: string): VersionRank | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}

/** Order of preference: `v2`, `v1`, `v1beta2`, `v1alpha1`, then other names by alphabet. */
export function compareVersions(a: string, b: string): number {
  const left = rankOf(a);
  const right = rankOf(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : a > b ? 1 : 0;
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

const byPlural = (a: ResourceInfo, b: ResourceInfo) => (a.plural < b.plural ? -1 : 1);

/** Built-in groups in their fixed order, then groups of custom resources by name. */
export function servedGroups(registry: Registry): readonly ServedGroup[] {
  const groups = new Map<string, Map<string, ResourceInfo[]>>();
  const custom = new Set<string>();
  for (const resource of registry.all()) {
    const versions = groups.get(resource.group) ?? new Map<string, ResourceInfo[]>();
    groups.set(resource.group, versions);
    versions.set(resource.version, [...(versions.get(resource.version) ?? []), resource]);
    if (!resource.builtIn && versions.size === 1 && versions.get(resource.version)?.length === 1)
      custom.add(resource.group);
  }
  const names = [...groups.keys()];
  const ordered = [...names.filter((name) => !custom.has(name)), ...names.filter((name) => custom.has(name)).sort()];
  return ordered.map((name) => ({
    name,
    versions: [...(groups.get(name) ?? [])]
      .map(([version, resources]) => ({ version, resources: [...resources].sort(byPlural) }))
      .sort((a, b) => compareVersions(a.version, b.version)),
  }));
}
