import type { Registry, ResourceInfo } from '../types.ts';

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

/** An empty registry, or one filled with `resources`. Order of listing is the order of first registration. */
export function createRegistry(resources: readonly ResourceInfo[] = []): Registry {
  const byKey = new Map<string, ResourceInfo>();
  let all: readonly ResourceInfo[] | undefined;
  const listeners: ((resource: ResourceInfo) => void)[] = [];
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
      const key = keyOf(group, version, plural);
      const resource = byKey.get(key);
      if (!resource) return;
      byKey.delete(key);
      changed();
      for (const listener of listeners) listener(resource);
    },
    onRemove: (listener) => void listeners.push(listener),
    get generation() {
      return generation;
    },
  };
  for (const resource of resources) registry.set(resource);
  return registry;
}
