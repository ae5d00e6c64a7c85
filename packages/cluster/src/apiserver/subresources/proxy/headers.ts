import type { RawRequest } from '../../types.ts';

/** Headers by lower-case name, as Node has them. */
export type Headers = Record<string, string | string[]>;

/** They belong to one connection, not to the message (RFC 9110 §7.6.1). */
const hopByHop = [
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** What a client says of itself to the API server is not the business of the server behind it. */
const confidential = /^(authorization|impersonate-.*|x-remote-.*)$/;

const lists = (value: string | readonly string[]): string | string[] =>
  typeof value === 'string' ? value : [...value];

/** The one thing in `TE` that may be passed on. */
const takesTrailers = (te: string | string[]): boolean => /(^|[\s,])trailers($|[\s,;])/.test([te].flat().join(','));

/** Headers that are passed on: all but those of the connection, and those that `Connection` names. */
export function endToEnd(headers: RawRequest['headers']): Headers {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const dropped = new Set([...hopByHop, ...named]);
  const kept: Headers = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !name.startsWith(':') && !dropped.has(name.toLowerCase())) kept[name] = lists(value);
  }
  if (kept.te !== undefined && takesTrailers(kept.te)) kept.te = 'trailers';
  else delete kept.te;
  return kept;
}

/** The headers for the server behind the proxy. @param uri the path as the client knows it; absent: not told */
export function requestHeaders(raw: RawRequest, uri: string | undefined): Headers {
  const headers = endToEnd(raw.headers);
  for (const name of Object.keys(headers)) if (confidential.test(name)) delete headers[name];
  const before = raw.headers['x-forwarded-for'];
  const chain = [...(before === undefined ? [] : [before].flat()), ...(raw.from ? [raw.from] : [])];
  return {
    ...headers,
    host: String(raw.headers.host ?? raw.headers[':authority'] ?? ''),
    ...(uri === undefined ? {} : { 'x-forwarded-uri': uri }),
    ...(chain.length > 0 ? { 'x-forwarded-for': chain.join(', ') } : {}),
  };
}

const cors = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
];

/**
 * The headers for the client. What a server allows to other sites it allows for itself, not for the API server; what it says of caches
 * is said beside what the API server says.
 */
export function responseHeaders(headers: RawRequest['headers']): Headers {
  const kept = endToEnd(headers);
  for (const name of cors) delete kept[name];
  const cached = kept['cache-control'];
  if (cached !== undefined) kept['cache-control'] = ['no-cache, private', cached].flat();
  return kept;
}
