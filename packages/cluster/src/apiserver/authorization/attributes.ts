import type { TransportRequest } from '@coxswain/runtime/client';
import { pathSegment } from '../builtin/shared/names.ts';
import { parseResourcePath } from '../request/path.ts';
import { verbOf } from '../request/verb.ts';
import type { ApiRequest } from '../types.ts';
import type { Attributes } from './types.ts';

/** The name that a field selector allows alone: `metadata.name=a`. */
function selectedName(selector: string | undefined): string {
  const term = selector?.split(',').find((part) => /^metadata\.name==?[^=]/.test(part));
  const name = term?.slice(term.lastIndexOf('=') + 1) ?? '';
  return name !== '' && pathSegment(name).length === 0 ? name : '';
}

const verbal = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);

function watches({ query }: TransportRequest): boolean {
  const value = query?.['watch'];
  return value !== undefined && !['false', '0', 'f', 'F', 'False', 'FALSE'].includes(value);
}

/** What a request wants to do. */
export function attributesOf(request: TransportRequest & Pick<ApiRequest, 'raw'>): Attributes {
  const path = parseResourcePath(request.path);
  const sent = request.raw?.method ?? request.method;
  if (!path) return { kind: 'path', verb: sent.toLowerCase(), path: request.path };
  const { group, plural: resource, subresource } = path;
  // A namespace is in itself.
  const namespace = path.namespace === '' && group === '' && resource === 'namespaces' ? path.name : path.namespace;
  const named = path.name !== '';
  // OPTIONS and the like are no verbs: only who may do everything may.
  const verb = path.watch
    ? 'watch'
    : !verbal.has(sent)
      ? ''
      : (verbOf(request.method, named, !named && watches(request)) ?? verbOf(request.method, true, false) ?? '');
  const many = !named && (verb === 'list' || verb === 'watch');
  const name = many ? selectedName(request.query?.['fieldSelector']) : path.name;
  return { kind: 'resource', verb, group, resource, subresource, namespace, name };
}
