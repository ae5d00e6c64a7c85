import type { Status } from '@coxswain/k8s';
import { ApiError, apiError } from '../core/index.ts';
import { stringifyJson } from './parse-json.ts';

/** What the error says when the server sent no `Status`: proxies and load balancers do not. */
const reasons: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/** The {@link ApiError} of an HTTP answer of 400 or above. @param retryAfter the header, in seconds or as a date */
export function responseError(code: number, body: unknown, retryAfter: string | undefined, now: number): ApiError {
  const status = isStatus(body) ? body : textStatus(code, body);
  const seconds = status.details?.retryAfterSeconds ?? retryAfterSeconds(retryAfter, now);
  const details = seconds === undefined ? status.details : { ...status.details, retryAfterSeconds: seconds };
  return new ApiError({ ...status, code: status.code || code, ...(details ? { details } : {}) });
}

/**
 * The {@link ApiError} of an answer that neither is what was asked for nor refuses it: a redirection (none is followed: it would show our
 * credentials to somebody else), or nothing where a stream was asked for.
 * @param where the request, in messages
 */
export function unexpected(code: number, where: string, location: string | readonly string[] | undefined): ApiError {
  const target = location === undefined ? '' : ` to ${bare(String(location))}`;
  const isRedirection = code >= 300 && code !== 304;
  const what = isRedirection ? `redirected${target}, which is not followed` : 'no answer to what was asked';
  return apiError(code, '', `${where}: HTTP ${code}: ${what}; look whether the address is that of an API server`);
}

/** What follows the path, and whoever is named before the host, may be secret. */
function bare(location: string): string {
  return location
    .replace(/[?#].*/s, '')
    .replace(/^([a-z][a-z0-9+.-]*:)?\/\/[^/]*@/i, '$1//')
    .slice(0, 200);
}

function isStatus(body: unknown): body is Status {
  return typeof body === 'object' && body !== null && (body as { readonly kind?: unknown }).kind === 'Status';
}

function textStatus(code: number, body: unknown): Status {
  const text = (typeof body === 'string' ? body : stringifyJson(body))?.trim().slice(0, 500);
  const reason = reasons[code];
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: text ? `HTTP ${code}: ${text}` : `HTTP ${code}`,
    ...(reason ? { reason } : {}),
    code,
  };
}

function retryAfterSeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header)) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - now) / 1000));
}
