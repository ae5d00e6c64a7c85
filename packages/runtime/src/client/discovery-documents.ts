import type { DynamicObject, Kind } from '@coxswain/k8s';
import type { Client } from './types.ts';

/** A kind as the server told of it. */
export interface DiscoveredKind extends Kind<DynamicObject> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  /** Groups of kinds that are asked for together: `all` … */
  readonly categories: readonly string[];
  /** `get`, `list`, `watch`, `create` … */
  readonly verbs: readonly string[];
  /** `status`, `scale` … */
  readonly subresources: readonly string[];
}

/** All that a server serves. */
export interface Catalog {
  /** Groups and versions in the order in which the server prefers them. */
  readonly kinds: readonly DiscoveredKind[];
  /** `metrics.k8s.io/v1beta1` … of servers behind the server that did not answer: their kinds may be missing or old. */
  readonly failed: readonly string[];
}

interface AggregatedResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: Kind['scope'];
  readonly singularResource?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs?: readonly string[];
  readonly subresources?: readonly { readonly subresource: string }[];
}

interface AggregatedVersion {
  readonly version: string;
  readonly resources?: readonly AggregatedResource[];
  readonly freshness?: string;
}

interface AggregatedList {
  readonly kind: 'APIGroupDiscoveryList';
  readonly items?: readonly {
    readonly metadata?: { readonly name?: string };
    readonly versions?: readonly AggregatedVersion[];
  }[];
}

interface LegacyResource {
  readonly name: string;
  readonly singularName?: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

type CoreVersions = { readonly kind: 'APIVersions'; readonly versions?: readonly string[] };
type GroupList = {
  readonly kind: 'APIGroupList';
  readonly groups?: readonly {
    readonly name: string;
    readonly versions?: readonly { readonly groupVersion: string; readonly version: string }[];
    readonly preferredVersion?: { readonly version: string };
  }[];
};

const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** Asks the server for all it serves: in two requests, or of old servers one a version. @throws ApiError ConnectionError */
export async function readCatalog(client: Client): Promise<Catalog> {
  const ask = (path: string) => client.raw({ method: 'GET', path, accept });
  const parts = await Promise.all([
    ask('/api').then((body) => catalogOf(client, body as AggregatedList | CoreVersions)),
    ask('/apis').then((body) => catalogOf(client, body as AggregatedList | GroupList)),
  ]);
  return merged(parts);
}

async function catalogOf(client: Client, body: AggregatedList | CoreVersions | GroupList): Promise<Catalog> {
  if (body.kind === 'APIGroupDiscoveryList') return aggregated(body);
  if (body.kind === 'APIVersions') {
    return merged(await Promise.all((body.versions ?? []).map((version) => legacyVersion(client, '', version))));
  }
  const versions = (body.groups ?? []).flatMap(({ name, versions = [], preferredVersion }) => {
    const isPreferred = ({ version }: { readonly version: string }) => version === preferredVersion?.version;
    const preferred = versions.toSorted((a, b) => Number(isPreferred(b)) - Number(isPreferred(a)));
    return preferred.map(({ version }) => legacyVersion(client, name, version));
  });
  return merged(await Promise.all(versions));
}

function merged(parts: readonly Catalog[]): Catalog {
  return { kinds: parts.flatMap(({ kinds }) => kinds), failed: parts.flatMap(({ failed }) => failed) };
}

function aggregated({ items = [] }: AggregatedList): Catalog {
  const parts = items.flatMap(({ metadata, versions = [] }) => {
    const group = metadata?.name ?? '';
    return versions.map(
      ({ version, resources = [], freshness }): Catalog => ({
        kinds: resources.flatMap((resource) => aggregatedKind(group, version, resource)),
        failed: freshness === 'Stale' ? [`${group}/${version}`] : [],
      }),
    );
  });
  return merged(parts);
}

function aggregatedKind(group: string, version: string, resource: AggregatedResource): readonly DiscoveredKind[] {
  const { responseKind, scope, singularResource = '', shortNames = [], categories = [], verbs = [] } = resource;
  // A resource that only has subresources answers no kind of its own.
  if (!responseKind?.kind) return [];
  const subresources = (resource.subresources ?? []).map(({ subresource }) => subresource);
  const named = { group, version, kind: responseKind.kind, plural: resource.resource, scope };
  return [{ ...named, singular: singularResource, shortNames, categories, verbs, subresources }];
}

/** A version whose server does not answer must not hide all others. */
async function legacyVersion(client: Client, group: string, version: string): Promise<Catalog> {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  let resources: readonly LegacyResource[];
  try {
    const body = (await client.raw({ method: 'GET', path })) as { readonly resources?: readonly LegacyResource[] };
    resources = body.resources ?? [];
  } catch {
    return { kinds: [], failed: [`${group}/${version}`] };
  }
  const kinds = resources
    .filter(({ name }) => !name.includes('/'))
    .map(({ name, singularName = '', namespaced, kind, verbs = [], shortNames = [], categories = [] }) => ({
      ...{ group, version, kind, plural: name, scope: namespaced ? ('Namespaced' as const) : ('Cluster' as const) },
      ...{ singular: singularName, shortNames, categories, verbs },
      subresources: resources
        .filter((other) => other.name.startsWith(`${name}/`))
        .map((other) => other.name.slice(name.length + 1)),
    }));
  return { kinds, failed: [] };
}
