import { apiVersionOf, type DynamicObject } from '@coxswain/k8s';
import { ApiError, type Clock, isNotFound, systemClock } from '../core/index.ts';
import { type Catalog, type DiscoveredKind, readCatalog } from './discovery-documents.ts';
import type { Client, ServerSideApplyOptions } from './types.ts';

/** The server serves no such kind: its definition is missing, or the version is wrong. */
export class NoMatchError extends Error {
  readonly apiVersion: string;
  readonly kind: string;

  /** @param failed versions whose servers did not answer when they were asked for their kinds */
  constructor(apiVersion: string, kind: string, failed: readonly string[]) {
    const hint = failed.length > 0 ? `; these did not answer: ${failed.join(', ')}` : '';
    super(`the server has no kind "${kind}" in ${apiVersion}; is its CRD installed?${hint}`);
    this.name = 'NoMatchError';
    this.apiVersion = apiVersion;
    this.kind = kind;
  }
}

/** What the server serves, asked once and remembered. */
export interface Discovery {
  /** All, groups and versions as the server prefers them. */
  kinds(): Promise<readonly DiscoveredKind[]>;
  /**
   * A kind by its names: `kindOf('apps/v1', 'Deployment')`. One that is not known is looked for again.
   * @throws NoMatchError
   */
  kindOf(apiVersion: string, kind: string): Promise<DiscoveredKind>;
  /** The kind of an object, or of a reference to one. @throws NoMatchError */
  kindFor(object: { readonly apiVersion?: string; readonly kind?: string }): Promise<DiscoveredKind>;
  /** To be told of errors of calls: when one says that a kind is no longer served, all is asked for again. */
  noteFailure(error: unknown): void;
  /** Forgets everything: after CRDs were installed or removed. */
  invalidate(): void;
}

/** How often `createDiscovery` asks the server; all of it optional. */
export interface DiscoveryOptions {
  readonly clock?: Clock;
  /** Milliseconds between two questions to the server because something was not found; default 5 000. */
  readonly refreshAfter?: number;
}

interface Loaded extends Catalog {
  readonly byName: ReadonlyMap<string, DiscoveredKind>;
  readonly at: number;
}

/** Kinds that are only known at run time: `client.of(await discovery.kindFor(object))`. */
export function createDiscovery(client: Client, options: DiscoveryOptions = {}): Discovery {
  const { clock = systemClock, refreshAfter = 5_000 } = options;
  let loaded: Loaded | undefined;
  let loading: Promise<Loaded> | undefined;

  /** One question at a time. An answer that was forgotten before it came is not kept. */
  function load(): Promise<Loaded> {
    if (loading) return loading;
    const own: Promise<Loaded> = readCatalog(client)
      .then((catalog) => {
        // The first of a name is the resource; others show it in another way.
        const byName = new Map(catalog.kinds.toReversed().map((kind) => [nameOf(apiVersionOf(kind), kind.kind), kind]));
        const answer = { ...catalog, byName, at: clock.monotonic() };
        if (loading === own) loaded = answer;
        return answer;
      })
      .finally(() => {
        if (loading === own) loading = undefined;
      });
    loading = own;
    return own;
  }

  const isOld = () => loaded !== undefined && clock.monotonic() - loaded.at >= refreshAfter;

  async function kindOf(apiVersion: string, kind: string): Promise<DiscoveredKind> {
    let catalog = loaded ?? (await load());
    if (!catalog.byName.has(nameOf(apiVersion, kind)) && isOld()) catalog = await load();
    const found = catalog.byName.get(nameOf(apiVersion, kind));
    if (!found) throw new NoMatchError(apiVersion, kind, catalog.failed);
    return found;
  }

  return {
    kinds: async () => (loaded ?? (await load())).kinds,
    kindOf,
    async kindFor({ apiVersion, kind }) {
      if (!apiVersion || !kind)
        throw new TypeError('an object of a kind not known before must say its apiVersion and kind');
      return kindOf(apiVersion, kind);
    },
    noteFailure(error) {
      // That a named object is not there says nothing of its kind.
      if (error instanceof ApiError && isNotFound(error) && !error.details.name && isOld()) loaded = undefined;
    },
    invalidate() {
      loaded = undefined;
      loading = undefined;
    },
  };
}

/** Server-side apply of an object of any kind, which it must name itself. @throws NoMatchError ApiError */
export async function applyAny(
  client: Client,
  discovery: Discovery,
  object: DynamicObject,
  options?: ServerSideApplyOptions,
): Promise<DynamicObject> {
  const kind = await discovery.kindFor(object);
  try {
    return await client.of(kind).apply(object, options);
  } catch (error) {
    discovery.noteFailure(error);
    throw error;
  }
}

function nameOf(apiVersion: string, kind: string): string {
  return `${apiVersion} ${kind}`;
}
