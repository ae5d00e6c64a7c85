import { CustomResourceDefinition, type Kind, parseApiVersion, resourceName } from '@coxswain/k8s';
import type { Cache, Informer } from '@coxswain/runtime/cache';
import type { Client } from '@coxswain/runtime/client';

/** The kinds whose objects can be listed, watched and deleted: one version of each resource. */
export interface ServedKinds {
  /** Resolves when {@link list} is complete. */
  start(): Promise<void>;
  list(): readonly Kind[];
  /**
   * Calls back after each change; answers how to end that. `gone` names (`widgets.example.com`) what was removed for good, with
   * all its objects; a kind that is merely not served any more is not in it.
   */
  onChange(listener: (gone: ReadonlySet<string>) => void): () => void;
  stop(): void;
}

/** Kinds by discovery when started, and by the custom resource definitions from then on. */
export function discoverKinds(client: Client, cache: Cache): ServedKinds {
  return new DiscoveredKinds(client, cache);
}

interface ResourceList {
  readonly groupVersion: string;
  readonly resources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

const needed = ['list', 'watch', 'delete'];

class DiscoveredKinds implements ServedKinds {
  readonly #client: Client;
  readonly #cache: Cache;
  readonly #listeners = new Set<(gone: ReadonlySet<string>) => void>();
  #builtIn: readonly Kind[] = [];
  #definitions: Informer<CustomResourceDefinition> | undefined;

  constructor(client: Client, cache: Cache) {
    this.#client = client;
    this.#cache = cache;
  }

  async start(): Promise<void> {
    const definitions = this.#cache.informer(CustomResourceDefinition);
    this.#definitions = definitions;
    this.#builtIn = await this.#discover();
    await definitions.synced;
    definitions.onEvent((event) => {
      if (event.type === 'added' && event.initial) return;
      const gone = new Set(event.type === 'deleted' ? [event.object.metadata.name] : []);
      for (const listener of this.#listeners) listener(gone);
    });
  }

  list(): readonly Kind[] {
    const custom = [...(this.#definitions?.store.list() ?? [])];
    const names = new Set(custom.map((definition) => definition.metadata.name));
    const fixed = this.#builtIn.filter((kind) => !names.has(resourceName(kind)));
    return [...fixed, ...custom.flatMap(kindOf)];
  }

  onChange(listener: (gone: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#definitions?.release();
    this.#definitions = undefined;
    this.#listeners.clear();
  }

  /** Built-in kinds only: groups of definitions are known by the definitions, and may be gone by tomorrow. */
  async #discover(): Promise<readonly Kind[]> {
    const { groups } = (await this.#client.raw({ method: 'GET', path: '/apis' })) as {
      groups: readonly { preferredVersion: { groupVersion: string } }[];
    };
    const custom = new Set<string>();
    for await (const definition of this.#client.of(CustomResourceDefinition).listAll())
      custom.add(definition.spec.group);
    const paths = groups
      .map(({ preferredVersion }) => preferredVersion.groupVersion)
      .filter((groupVersion) => !custom.has(parseApiVersion(groupVersion).group))
      .map((groupVersion) => `/apis/${groupVersion}`);
    const lists = await Promise.all(['/api/v1', ...paths].map((path) => this.#client.raw({ method: 'GET', path })));
    return lists.flatMap((list) => kindsOf(list as ResourceList));
  }
}

function kindsOf({ groupVersion, resources }: ResourceList): readonly Kind[] {
  const { group, version } = parseApiVersion(groupVersion);
  // The same events are served under two groups.
  if (group === 'events.k8s.io') return [];
  return resources
    .filter(({ name, verbs }) => !name.includes('/') && needed.every((verb) => verbs.includes(verb)))
    .map(({ name, kind, namespaced }) => ({
      group,
      version,
      kind,
      plural: name,
      scope: namespaced ? 'Namespaced' : 'Cluster',
    }));
}

/** The kind of a definition: its stored version if that is served, else the first served one; none before it is established. */
function kindOf({ spec, status }: CustomResourceDefinition): readonly Kind[] {
  const established = status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True');
  const served = spec.versions.filter((version) => version.served);
  const version = served.find(({ storage }) => storage) ?? served[0];
  if (!established || !version) return [];
  const { group, names, scope } = spec;
  const kind = { group, version: version.name, kind: names.kind, plural: names.plural };
  return [{ ...kind, scope: scope === 'Cluster' ? 'Cluster' : 'Namespaced' }];
}
