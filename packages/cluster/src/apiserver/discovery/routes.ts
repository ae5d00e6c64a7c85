import type { ApiResponse, NonResourceRoute, Registry } from '../types.ts';
import { aggregatedContentType } from './accept.ts';
import { aggregatedDocument, etagOf } from './aggregated.ts';
import { type ServedGroup, servedGroups } from './groups.ts';
import { coreVersions, groupDocument, groupList, resourceList } from './legacy.ts';

export interface DiscoveryOptions {
  /** `host:port` of the server as `/api` names it; default `127.0.0.1:443`. */
  readonly address?: string;
}

interface Aggregated {
  readonly body: object;
  readonly etag: string;
}

/** Everything discovery answers for one state of the registry. Documents are built when first asked for. */
class Documents {
  readonly groups: readonly ServedGroup[];
  readonly #address: string;
  readonly #plain = new Map<string, object | undefined>();
  readonly #aggregated = new Map<string, Aggregated>();

  constructor(groups: readonly ServedGroup[], address: string) {
    this.groups = groups;
    this.#address = address;
  }

  plain(path: string): object | undefined {
    if (!this.#plain.has(path)) this.#plain.set(path, this.#build(path));
    return this.#plain.get(path);
  }

  aggregated(root: string): Aggregated {
    let found = this.#aggregated.get(root);
    if (!found) {
      const body = aggregatedDocument(this.groups.filter((group) => (group.name === '') === (root === '/api')));
      found = { body, etag: etagOf(body) };
      this.#aggregated.set(root, found);
    }
    return found;
  }

  #build(path: string): object | undefined {
    const [, root, first, second] = path.split('/');
    if (root === 'api') {
      const core = this.groups.find((group) => group.name === '');
      return first === undefined ? coreVersions(this.#address) : core && resourceList(core, first);
    }
    if (first === undefined) return groupList(this.groups);
    const group = this.groups.find((candidate) => candidate.name === first && first !== '');
    if (!group) return undefined;
    return second === undefined ? groupDocument(group) : resourceList(group, second);
  }
}

function normalised(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** `/api`, `/apis`, `/api/v1`, `/apis/G`, `/apis/G/V`. */
const discoveryPath = /^\/(?:api(?:\/[^/]+)?|apis(?:\/[^/]+){0,2})$/;

/**
 * Discovery in both forms, live from the registry: the aggregated document of `/api` and `/apis` when the client accepts
 * it, else the plain ones. Aggregated answers carry an `ETag`; the HTTP layer turns a matching If-None-Match into a 304.
 */
export function discoveryRoute(registry: Registry, options: DiscoveryOptions = {}): NonResourceRoute {
  let cached: { readonly generation: number; readonly documents: Documents } | undefined;
  const documents = (): Documents => {
    if (cached?.generation !== registry.generation) {
      const address = options.address ?? '127.0.0.1:443';
      cached = { generation: registry.generation, documents: new Documents(servedGroups(registry), address) };
    }
    return cached.documents;
  };
  return {
    match(path) {
      const wanted = normalised(path);
      return discoveryPath.test(wanted) && documents().plain(wanted) !== undefined;
    },
    handle(request): ApiResponse {
      const path = normalised(request.path);
      const contentType = aggregatedContentType(request.accept, path);
      if (contentType === undefined) {
        return { kind: 'object', code: 200, body: documents().plain(path) };
      }
      const { body, etag } = documents().aggregated(path);
      const headers = { 'Content-Type': contentType, ETag: etag, Vary: 'Accept', 'Cache-Control': 'public' };
      return { kind: 'object', code: 200, body, headers };
    },
  };
}
