import type { Library } from '../types/environment.ts';
import { overload } from '../types/overload.ts';
import { parseType } from '../types/signature.ts';
import { CelError, noSuchOverload } from '../values/errors.ts';
import { ArrayList } from '../values/list.ts';
import { EntryMap, type MapKey } from '../values/map.ts';
import { Opaque, type Value } from '../values/value.ts';
import { text } from './arguments.ts';

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
}

class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly source: string;
  readonly parts: Parts;

  constructor(source: string, parts: Parts) {
    super();
    this.source = source;
    this.parts = parts;
  }

  equals(other: Opaque): boolean {
    return other instanceof Url && other.source === this.source;
  }
}

const shape = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?]*))?([^?]*)(?:\?(.*))?$/s;

/** Reads an absolute URL or an absolute path, as Go's `ParseRequestURI`; the error is worded like its own. */
export function parseUrl(source: string): Parts | { readonly error: string } {
  const fail = (why: string) => ({ error: `parse ${JSON.stringify(source)}: ${why}` });
  if ([...source].some((char) => char < ' ' || char === '\u007f')) {
    return fail('net/url: invalid control character in URL');
  }
  if (source === '') return fail('empty url');
  if (source.startsWith(':')) return fail('missing protocol scheme');
  const [, scheme, authority, path = '', query = ''] = shape.exec(source) ?? [];
  if (scheme === undefined && !source.startsWith('/')) return fail('invalid URI for request');
  if (scheme !== undefined && authority === undefined && !path.startsWith('/')) {
    return { scheme: scheme.toLowerCase(), host: '', path: '', query };
  }
  const bad = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(`${authority ?? ''}${path}`);
  if (bad) return fail(`invalid URL escape ${JSON.stringify(bad[0])}`);
  const host = (authority ?? '').replace(/^.*@/s, '');
  const problem = hostProblem(host);
  if (problem) return fail(problem);
  return { scheme: (scheme ?? '').toLowerCase(), host, path, query };
}

function hostProblem(host: string): string | undefined {
  if (host.startsWith('[')) {
    const end = host.indexOf(']');
    if (end < 0) return "missing ']' in host";
    return portProblem(host.slice(end + 1));
  }
  const bad = /[ "#\\^`{|}]/.exec(host);
  if (bad) return `invalid character ${JSON.stringify(bad[0])} in host name`;
  const colon = host.lastIndexOf(':');
  return colon < 0 ? undefined : portProblem(host.slice(colon));
}

function portProblem(port: string): string | undefined {
  return port === '' || /^:\d*$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
}

function toUrl(value: Value): Url {
  const source = text(value);
  const whole = parseUrl(source);
  // As a request a URL has no fragment, so that it was read with what looks like one; it is cut off after that.
  const parts = 'error' in whole || !source.includes('#') ? whole : parseUrl(source.replace(/#.*$/s, ''));
  if ('error' in parts) throw new CelError(`URL parse error during conversion from string: ${parts.error}`);
  return new Url(source, parts);
}

function partsOf(value: Value): Parts {
  if (!(value instanceof Url)) throw noSuchOverload();
  return value.parts;
}

function hostname(host: string): string {
  if (host.startsWith('[')) return host.slice(1, host.indexOf(']'));
  return host.replace(/:\d*$/, '');
}

function port(host: string): string {
  return /:(\d*)$/.exec(host.replace(/^\[.*\]/, ''))?.[1] ?? '';
}

const unescaped = /[^A-Za-z0-9\-._~$&+,/:;=@%!'()*[\]]/gu;

function escapedPath(path: string): string {
  return path.replace(unescaped, (char) => encodeURIComponent(char.toWellFormed()));
}

function query(source: string): Value {
  const values = new Map<string, string[]>();
  for (const part of source.split('&')) {
    if (part === '' || part.includes(';')) continue;
    const equals = part.indexOf('=');
    const key = decode(equals < 0 ? part : part.slice(0, equals));
    const value = decode(equals < 0 ? '' : part.slice(equals + 1));
    if (key === undefined || value === undefined) continue;
    const known = values.get(key);
    if (known) known.push(value);
    else values.set(key, [value]);
  }
  const entries = new Map<MapKey, readonly [Value, Value]>();
  for (const [key, list] of values) entries.set(key, [key, new ArrayList(list)]);
  return new EntryMap(entries);
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part.replace(/\+/g, ' '));
  } catch {
    return undefined;
  }
}

export const urlLibrary: Library = {
  types: [parseType('kubernetes.URL')],
  overloads: [
    overload('string_to_url', 'url(string) -> kubernetes.URL', toUrl),
    overload('is_url_string', 'isURL(string) -> bool', (value) => !('error' in parseUrl(text(value)))),
    overload('url_get_scheme', 'kubernetes.URL::getScheme() -> string', (value) => partsOf(value).scheme),
    overload('url_get_host', 'kubernetes.URL::getHost() -> string', (value) => partsOf(value).host),
    overload('url_get_hostname', 'kubernetes.URL::getHostname() -> string', (value) => hostname(partsOf(value).host)),
    overload('url_get_port', 'kubernetes.URL::getPort() -> string', (value) => port(partsOf(value).host)),
    overload('url_get_escaped_path', 'kubernetes.URL::getEscapedPath() -> string', (value) =>
      escapedPath(partsOf(value).path),
    ),
    overload('url_get_query', 'kubernetes.URL::getQuery() -> map(string, list(string))', (value) =>
      query(partsOf(value).query),
    ),
  ],
};
