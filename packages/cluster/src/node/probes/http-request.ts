import type { HTTPGetAction } from '@coxswain/k8s';
import { hostPort, type ProbeTarget, portNumber } from './target.ts';

/** A GET as a probe or hook makes it. */
export interface GetRequest {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
  /** With the query, as it goes over the wire. */
  readonly path: string;
  /** Names as written; values in their order. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
}

/** As the kubelet names itself. */
const version = '1.37';

const unescaped = /[^\x21-\x7e]|["<>\\^`{|}]/g;

function percentEncoded(text: string, pattern: RegExp): string {
  return text.replace(pattern, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** The path of a request. One that is no path as URLs have them is taken letter by letter. */
export function requestPath(text: string): string {
  const readable = !/%(?![0-9a-fA-F]{2})/.test(text);
  const path = readable ? text.replace(/#.*$/s, '') : percentEncoded(text, /[%?#]/g);
  const encoded = percentEncoded(path, unescaped);
  return encoded.startsWith('/') ? encoded : `/${encoded}`;
}

function headersOf(action: HTTPGetAction, agent: string): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, readonly string[]>();
  const named = (wanted: string) => [...headers.keys()].find((name) => name.toLowerCase() === wanted.toLowerCase());
  for (const { name, value } of action.httpHeaders ?? []) {
    const known = named(name) ?? name;
    headers.set(known, [...(headers.get(known) ?? []), value]);
  }
  for (const [name, value] of [
    ['User-Agent', `kube-${agent}/${version}`],
    ['Accept', '*/*'],
  ] as const) {
    const given = named(name);
    if (given === undefined) headers.set(name, [value]);
    else if (headers.get(given)?.[0] === '') headers.delete(given);
  }
  return headers;
}

/** @param agent what asks: `probe` or `lifecycle` @throws ProbeError when the port is none */
export function getRequest(action: HTTPGetAction, target: ProbeTarget, agent: string): GetRequest {
  return {
    scheme: action.scheme?.toLowerCase() === 'https' ? 'https' : 'http',
    host: action.host || target.podAddress,
    port: portNumber(action.port, target.container),
    path: requestPath(action.path ?? ''),
    headers: headersOf(action, agent),
  };
}

export function urlOf({ scheme, host, port, path }: GetRequest): string {
  return `${scheme}://${hostPort(host, port)}${path}`;
}
