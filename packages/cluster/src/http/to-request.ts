import type { Method } from '@coxswain/runtime/client';
import { apiError, badRequest, type Clock } from '@coxswain/runtime/core';
import type { ApiRequest, RawRequest, UserInfo } from '../apiserver/types.ts';
import { leadsOut } from './connect-path.ts';
import { checkReadable, decodeBody } from './decode.ts';
import type { HttpRequest } from './http-message.ts';
import { impersonationOf } from './impersonation.ts';
import { readBody } from './read-body.ts';

const methods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
const isMethod = (method: string): method is Method => methods.has(method);

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
    if (first === undefined) {
      query[key] = value;
      continue;
    }
    // In place: a line has room for hundreds of thousands.
    repeated[key] ??= [first];
    repeated[key].push(value);
  }
  return { path: url.slice(0, mark), query, ...(Object.keys(repeated).length > 0 ? { repeated } : {}) };
}

/** @throws ApiError 405 for a method that nothing is done by here */
export function checkMethod({ method }: HttpRequest, path: string): void {
  // A HEAD is a GET whose body is not sent. What is passed on may be asked for its OPTIONS.
  if (isMethod(method) || method === 'HEAD' || (method === 'OPTIONS' && leadsOut(path))) return;
  throw apiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
}

/**
 * The request without its body: enough to tell whether the user may do it.
 * @throws ApiError BadRequest
 */
export function headOf(request: HttpRequest, target: Target, user: UserInfo, signal: AbortSignal): ApiRequest {
  const { headers, method } = request;
  const impersonate = impersonationOf(request);
  checkPath(target.path);
  const { 'content-type': contentType, 'user-agent': userAgent } = headers;
  return {
    method: isMethod(method) ? method : 'GET',
    path: target.path,
    query: target.query,
    user,
    signal,
    ...(leadsOut(target.path) || !isMethod(method) ? { raw: rawOf(request) } : {}),
    ...(request.upgrade ? { upgrade: true } : {}),
    ...(impersonate ? { impersonate } : {}),
    ...(target.repeated ? { repeated: target.repeated } : {}),
    ...(contentType ? { contentType } : {}),
    ...(userAgent ? { userAgent } : {}),
  };
}

/**
 * Reads the body into a request.
 * @throws ApiError 413, 415, BadRequest
 */
export async function withBody(request: HttpRequest, head: ApiRequest, clock: Clock): Promise<ApiRequest> {
  if (head.method === 'POST' || head.method === 'PUT') checkReadable(head.contentType);
  const bytes = await readBody(request.body);
  const decoded = bytes.length > 0 ? await decodeBody(bytes, head.contentType, head.method, clock) : undefined;
  if (!decoded) return head;
  return {
    ...head,
    body: decoded.body,
    text: decoded.text,
    ...(decoded.duplicates.length > 0 ? { duplicates: decoded.duplicates } : {}),
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
