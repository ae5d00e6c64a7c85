import { createHash } from 'node:crypto';
import { servedGroups } from '../discovery/groups.ts';
import type { ApiRequest, ApiResponse, NonResourceRoute, Registry } from '../types.ts';
import { answerWith, LazyDocument } from './answer.ts';
import { allOperations, openApiDocument } from './document.ts';
import { hashOf } from './hash.ts';
import { groupOperations, plainDocuments } from './plain-operations.ts';

const root = '/openapi/v3';
/** Documents are addressed by the hash of what they are made of, so they never change. */
const year = 365 * 24 * 3600;

type Documents = ReadonlyMap<string, LazyDocument>;

/** All documents, by the path they are listed under. */
function documentsOf(registry: Registry): Documents {
  const documents = new Map<string, LazyDocument>();
  const plain = { resources: [] };
  for (const [path, operations] of Object.entries(plainDocuments)) {
    documents.set(path, new LazyDocument(hashOf(path, []), () => openApiDocument(operations, plain)));
  }
  for (const { name: group, versions } of servedGroups(registry)) {
    const builtIn = versions.some(({ resources }) => resources.some((resource) => resource.builtIn));
    const path = group === '' ? 'api' : `apis/${group}`;
    if (group !== '' && builtIn) {
      const make = () => openApiDocument(groupOperations(group), plain);
      documents.set(path, new LazyDocument(hashOf(path, []), make));
    }
    for (const { version, resources } of versions) {
      const own = `${path}/${version}`;
      const make = () => openApiDocument(allOperations(group, version, resources), { resources, group, version });
      documents.set(own, new LazyDocument(hashOf(own, resources), make));
    }
  }
  return new Map([...documents].sort(([a], [b]) => (a < b ? -1 : 1)));
}

const urlOf = (path: string, hash: string): string => `${root}/${path}?hash=${hash}`;

function indexOf(documents: Documents): ApiResponse {
  const paths = [...documents].map(([path, { hash }]) => [path, { serverRelativeURL: urlOf(path, hash) }]);
  const body = { paths: Object.fromEntries(paths) };
  const etag = createHash('sha512').update(JSON.stringify(body)).digest('hex').toUpperCase();
  return {
    kind: 'object',
    code: 200,
    body,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', ETag: `"${etag}"` },
  };
}

function answer(request: ApiRequest, path: string, document: LazyDocument): ApiResponse | Promise<ApiResponse> {
  const hash = request.query?.hash;
  if (hash !== undefined && hash !== document.hash) {
    const headers = { Location: urlOf(path, document.hash), ETag: `"${document.hash}"`, Vary: 'Accept' };
    return { kind: 'text', code: 301, body: '', headers };
  }
  const caching = hash === undefined ? 'no-cache, private' : `public, immutable, max-age=${year}`;
  return answerWith(request, document, {
    version: 'v3',
    encode: async () => (await import('./v3-protobuf.ts')).v3Protobuf,
    headers: { 'Cache-Control': caching },
  });
}

/**
 * `/openapi/v3` and the documents it lists, live from the registry, as JSON and as protobuf (`spec/embedded.md` §0.2, §1.2). A document is
 * made when it is asked for, and not kept. A stale hash is sent on to the new one.
 */
export function openApiRoute(registry: Registry): NonResourceRoute {
  let cached: { readonly generation: number; readonly documents: Documents; readonly index: ApiResponse } | undefined;
  const current = () => {
    if (cached?.generation !== registry.generation) {
      const documents = documentsOf(registry);
      cached = { generation: registry.generation, documents, index: indexOf(documents) };
    }
    return cached;
  };
  return {
    match: (path) => path === root || path.startsWith(`${root}/`),
    handle(request) {
      const { documents, index } = current();
      if (request.path === root) return index;
      const path = request.path.slice(root.length + 1);
      const document = documents.get(path);
      return document ? answer(request, path, document) : { kind: 'text', code: 404, body: '' };
    },
  };
}
