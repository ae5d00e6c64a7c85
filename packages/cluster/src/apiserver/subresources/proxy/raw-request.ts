import { Readable } from 'node:stream';
import type { ApiRequest, RawRequest } from '../../types.ts';

/** The request as it came; one that came over no wire, as it would have been there. */
export function rawRequestOf(request: ApiRequest): RawRequest {
  if (request.raw) return request.raw;
  const { method, path, query = {}, body, contentType = 'application/json', accept, userAgent } = request;
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const search = new URLSearchParams(query).toString();
  return {
    method,
    url: search === '' ? path : `${path}?${search}`,
    headers: {
      host: 'kubernetes.default.svc',
      ...(accept === undefined ? {} : { accept }),
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': String(Buffer.byteLength(text)) }),
    },
    body: Readable.from(text === undefined ? [] : [Buffer.from(text)]),
  };
}
