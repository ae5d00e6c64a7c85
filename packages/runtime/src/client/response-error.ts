import type { Status } from '@coxswain/k8s';
import { ApiError } from '../core/index.ts';
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
