import type { Method } from '@coxswain/runtime/client';
import { apiError, badRequest } from '@coxswain/runtime/core';
import type { ApiRequest, RawRequest, UserInfo } from '../apiserver/types.ts';
import { leadsOut } from './connect-path.ts';
import { decodeBody } from './decode.ts';
import type { HttpRequest } from './http-message.ts';
import { impersonationOf } from './impersonation.ts';
import { readBody } from './read-body.ts';

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Path and query of a request line. Of repeated keys the first value counts, as in Go; all of them are in `values`. */
export interface Target {
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Keys that came more than once, with all their values. */
  readonly repeated?: Readonly<Record<string, readonly string[]>>;
}

export function targetOf(url: string): Target {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: {} };
  const query: Record<string, string> = Object.create(null);
  const repeated: Record<string, string[]> = Object.create(null);
  for (const [key, value] of new URLSearchParams(url.slice(mark + 1))) {
    const first = query[key];
    if (first === undefined) query[key] = value;
    else repeated[key] = [...(repeated[key] ?? [first]), value];
  }
  return { path: url.slice(0, mark), query, ...(Object.keys(repeated).length > 0 ? { repeated } : {}) };
}

/**
 * The method to handle; HEAD is a GET whose body is not sent.
 * @param raw what is passed on has its own method beside it, and may be asked for its OPTIONS
 * @throws ApiError 405
 */
export function methodOf(request: HttpRequest, raw = false): Method {
  const { method } = request;
  if (methods.has(method)) return method as Method;
  if (method === 'HEAD' || (raw && method === 'OPTIONS')) return 'GET';
  throw apiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

/**
 * Reads the body and puts the request together.
 * @param accept what the handler is to see of the client's wishes; default the header
 */
export async function toApiRequest(
  request: HttpRequest,
  target: Target,
  user: UserInfo,
  signal: AbortSignal,
  accept: string | undefined = request.headers.accept,
): Promise<ApiRequest> {
  const { headers } = request;
  const raw = leadsOut(target.path) ? rawOf(request) : undefined;
  const method = methodOf(request, raw !== undefined);
  const impersonate = impersonationOf(request);
  checkPath(target.path);
  const bytes = !raw && request.hasBody ? await readBody(request.body) : undefined;
  const contentType = headers['content-type'];
  const decoded = bytes?.length ? await decodeBody(bytes, contentType, method) : undefined;
  return {
    method,
    path: target.path,
    query: target.query,
    user,
    signal,
    ...(raw ? { raw } : {}),
    ...(request.upgrade ? { upgrade: true } : {}),
    ...(impersonate ? { impersonate } : {}),
    ...(target.repeated ? { repeated: target.repeated } : {}),
    ...(decoded ? { body: decoded.body, text: decoded.text } : {}),
    ...(decoded?.duplicates.length ? { duplicates: decoded.duplicates } : {}),
    ...(contentType ? { contentType } : {}),
    ...(accept ? { accept } : {}),
    ...(headers['user-agent'] ? { userAgent: headers['user-agent'] } : {}),
  };
}

function rawOf({ method, url, headers, body, socket }: HttpRequest): RawRequest {
  return { method, url, headers, body, from: socket.remoteAddress };
}

function checkPath(path: string): void {
  try {
    if (path.startsWith('/') && (!path.includes('%') || decodeURIComponent(path))) return;
  } catch {
    // Not percent-encoding: refused below.
  }
  throw badRequest(`the request path ${JSON.stringify(path)} is not valid`);
}
