import type { Registry, ResourceInfo } from '../types.ts';

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

/** An empty registry, or one filled with `resources`. Order of listing is the order of first registration. */
export function createRegistry(resources: readonly ResourceInfo[] = []): Registry {
  const byKey = new Map<string, ResourceInfo>();
  let all: readonly ResourceInfo[] | undefined;
  let generation = 0;
  const changed = () => {
    all = undefined;
    generation++;
  };
  const registry: Registry = {
    find: (group, version, plural) => byKey.get(keyOf(group, version, plural)),
    all() {
      all ??= [...byKey.values()];
      return all;
    },
    set(resource) {
      byKey.set(keyOf(resource.group, resource.version, resource.plural), resource);
      changed();
    },
    remove(group, version, plural) {
      if (byKey.delete(keyOf(group, version, plural))) changed();
    },
    get generation() {
      return generation;
    },
  };
  for (const resource of resources) registry.set(resource);
  return registry;
}
