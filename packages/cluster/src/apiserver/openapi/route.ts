import { createHash } from 'node:crypto';
import { servedGroups } from '../discovery/groups.ts';
import { emulatedVersion } from '../discovery/version.ts';
import type { ApiResponse, NonResourceRoute, Registry, ResourceInfo } from '../types.ts';
import { openApiDocument } from './document.ts';

const root = '/openapi/v3';
/** Documents are addressed by the hash of what they are made of, so they never change. */
const year = 365 * 24 * 3600;

interface Entry {
  readonly resources: readonly ResourceInfo[];
  readonly hash: string;
  document?: object;
}

/**
 * What a document is made of, cheaper to hash than the document: the version for built-in kinds, the whole description for
 * custom ones.
 */
function hashOf(resources: readonly ResourceInfo[]): string {
  const hash = createHash('sha256').update(emulatedVersion);
  for (const resource of resources) {
    const { group, version, plural, kind, verbs, status, scale, builtIn } = resource;
    const schema = builtIn ? undefined : resource.schema;
    hash.update(JSON.stringify({ group, version, plural, kind, verbs, status, scale, schema }));
  }
  return hash.digest('hex').slice(0, 64).toUpperCase();
}

function entriesOf(registry: Registry): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const group of servedGroups(registry)) {
    for (const { version, resources } of group.versions) {
      const path = group.name === '' ? `api/${version}` : `apis/${group.name}/${version}`;
      entries.set(path, { resources, hash: hashOf(resources) });
    }
  }
  return entries;
}

function urlOf(path: string, hash: string): string {
  return `${root}/${path}?hash=${hash}`;
}

function indexOf(entries: ReadonlyMap<string, Entry>): object {
  const paths = [...entries].map(([path, { hash }]) => [path, { serverRelativeURL: urlOf(path, hash) }]);
  return { paths: Object.fromEntries(paths) };
}

function answerDocument(path: string, entry: Entry, hash: string | undefined): ApiResponse {
  if (hash !== undefined && hash !== entry.hash) {
    return { kind: 'text', code: 301, body: '', headers: { Location: urlOf(path, entry.hash) } };
  }
  entry.document ??= openApiDocument(entry.resources);
  const caching = hash === undefined ? 'no-cache, private' : `public, immutable, max-age=${year}`;
  const headers = { ETag: `"${entry.hash}"`, Vary: 'Accept', 'Cache-Control': caching };
  return { kind: 'object', code: 200, body: entry.document, headers };
}

/**
 * `/openapi/v3` and the documents it lists, live from the registry (`spec/embedded.md` §0.2, §1.2). A document is built when it
 * is first asked for. A stale hash is sent on to the new one.
 */
export function openApiRoute(registry: Registry): NonResourceRoute {
  let cached:
    | { readonly generation: number; readonly entries: ReadonlyMap<string, Entry>; readonly index: object }
    | undefined;
  const current = () => {
    if (cached?.generation !== registry.generation) {
      const fresh = entriesOf(registry);
      // Documents of groups that did not change are kept.
      for (const [path, entry] of fresh) {
        const before = cached?.entries.get(path);
        if (before?.document && before.hash === entry.hash) entry.document = before.document;
      }
      cached = { generation: registry.generation, entries: fresh, index: indexOf(fresh) };
    }
    return cached;
  };
  const pathOf = (path: string) => path.slice(root.length + 1).replace(/\/$/, '');
  return {
    match: (path) =>
      path === root || path === `${root}/` || (path.startsWith(`${root}/`) && current().entries.has(pathOf(path))),
    handle(request) {
      const path = pathOf(request.path);
      const { entries, index } = current();
      const entry = entries.get(path);
      if (entry) return answerDocument(path, entry, request.query?.hash);
      const etag = createHash('sha256').update(JSON.stringify(index)).digest('hex').toUpperCase();
      return { kind: 'object', code: 200, body: index, headers: { ETag: `"${etag}"`, Vary: 'Accept' } };
    },
  };
}
