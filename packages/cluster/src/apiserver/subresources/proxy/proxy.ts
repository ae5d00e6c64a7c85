import type { ApiRequest, ApiResponse, ConnectHandler, ConnectRequest } from '../../types.ts';
import type { Backend } from './backend.ts';
import { forward } from './forward.ts';
import { cleanPath, joinPaths } from './locations.ts';
import { namedNode } from './node-backend.ts';
import { namedPod } from './pod-backend.ts';
import type { ProxyContext } from './proxy-context.ts';
import { rawRequestOf } from './raw-request.ts';
import { namedService } from './service-backend.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];

/** The path for the server: what follows `proxy`, cleaned up, the slash at its end kept. */
function pathOf({ path }: ApiRequest, rest: string): string {
  if (rest === '') return path.endsWith('/') ? '/' : '';
  const clean = cleanPath(rest);
  return rest.endsWith('/') && clean !== '/' ? `${clean}/` : clean;
}

/** As Go writes paths. */
const encoded = (path: string): string =>
  encodeURI(path).replace(/[?#!*'()]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const queryOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '');

async function* nothing(): AsyncGenerator<Uint8Array> {}

const never = new AbortController().signal;

/** The path of the subresource, as clients write it. */
function prefixOf({ resource, namespace, name }: ConnectRequest): string {
  const scope = namespace === '' ? '' : `namespaces/${namespace}/`;
  return `/api/${resource.version}/${scope}${resource.plural}/${name}/proxy`;
}

async function proxy(asked: ConnectRequest, backend: Backend, { clock }: ProxyContext): Promise<ApiResponse> {
  const { request, rest } = asked;
  const raw = rawRequestOf(request);
  const path = pathOf(request, rest);
  const query = queryOf(raw.url);
  const upgrade = request.upgrade === true;
  if (path === '' && !upgrade && (raw.method === 'GET' || raw.method === 'HEAD')) {
    // Links of a page at `proxy` would lead beside it.
    return { kind: 'bytes', code: 301, body: nothing(), headers: { Location: `${request.path}/${query}` } };
  }
  const prefix = prefixOf(asked);
  return forward({
    backend,
    raw,
    // The real server forgets the query of an upgrade, and tells less of it.
    target: `${encoded(path) || '/'}${upgrade ? '' : query}`,
    uri: upgrade ? undefined : joinPaths(prefix, encoded(path) || '/'),
    place: { prefix, host: backend.host, asked: String(raw.headers.host ?? raw.headers[':authority'] ?? '') },
    upgrade,
    clock,
    signal: request.signal ?? never,
  });
}

function handler(
  plural: string,
  kind: string,
  context: ProxyContext,
  find: (asked: ConnectRequest) => Backend,
): ConnectHandler {
  return {
    resource: `/${plural}`,
    name: 'proxy',
    methods,
    subpaths: true,
    options(request, rest) {
      const path = rest === '' ? (request.path.endsWith('/') ? '/' : '') : `/${rest}`;
      return { kind, apiVersion: 'v1', ...(path === '' ? {} : { path }) };
    },
    connect: (asked) => proxy(asked, find(asked), context),
  };
}

/** `pods/proxy`, `services/proxy` and `nodes/proxy`: HTTP through the API server. */
export function proxies(context: ProxyContext): readonly ConnectHandler[] {
  return [
    handler('pods', 'PodProxyOptions', context, ({ storage, namespace, name }) =>
      namedPod(context, storage, namespace, name),
    ),
    handler('services', 'ServiceProxyOptions', context, ({ storage, namespace, name }) =>
      namedService(context, storage, namespace, name),
    ),
    handler('nodes', 'NodeProxyOptions', context, ({ storage, name }) => namedNode(context, storage, name)),
  ];
}
