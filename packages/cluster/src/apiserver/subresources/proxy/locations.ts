/** Where a proxied page stands, for links to be turned so that they lead through the proxy. */
export interface Place {
  /** The path up to and with `proxy`, as the client knows it. */
  readonly prefix: string;
  /** Of the server behind the proxy, as in its URLs. */
  readonly host: string;
  /** As which the client asked for the page. */
  readonly asked: string;
}

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  /** Query and fragment. */
  readonly rest: string;
}

/** Takes a reference (RFC 3986) apart. */
function partsOf(reference: string): Parts {
  const match = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s.exec(reference);
  const [, scheme = '', host = '', path = '', rest = ''] = match ?? [];
  return { scheme, host: host.slice(host.lastIndexOf('@') + 1), path, rest };
}

/** A path without empty parts, `.` and `..`. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Joins a prefix and a path; a slash at the end stays. */
export function joinPaths(prefix: string, path: string): string {
  const joined = cleanPath(`${prefix}/${path}`);
  return path.endsWith('/') && !joined.endsWith('/') ? `${joined}/` : joined;
}

/** What may not stand in a path as it is. */
const unfit = /[^\x21-\x7e]|["<>\\^`{|}]/gu;

/** A link of a proxied page, as it must be for the client: links to the same server lead through the proxy, others are left alone. */
export function rewrittenLink(link: string, { prefix, host, asked }: Place): string {
  const parts = partsOf(link);
  const elsewhere = parts.host !== '' && parts.host !== host && parts.host !== asked;
  if (elsewhere || !parts.path.startsWith('/')) return link;
  const origin =
    parts.host === asked && asked !== '' ? `${parts.scheme === '' ? '' : `${parts.scheme}:`}//${asked}` : '';
  const path = parts.path.startsWith(prefix) ? parts.path : joinPaths(prefix, parts.path);
  return `${origin}${path.replace(unfit, encodeURIComponent)}${parts.rest}`;
}
