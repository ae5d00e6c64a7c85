/** What a resource path names. `namespace`, `name` and `subresource` are `''` when the path has none. */
export interface ResourcePath {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly plural: string;
  readonly name: string;
  readonly subresource: string;
  /** What follows the subresource (proxy paths), without the leading slash. */
  readonly rest: string;
  /** The old `/watch/` prefix. */
  readonly watch: boolean;
}

/** The parts of a path as written, decoded; `undefined` for a broken percent sequence. */
function segmentsOf(path: string): string[] | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  if (!path.includes('%')) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

const namespaceSubresources = new Set(['status', 'finalize']);

/**
 * Takes a resource path apart: `/api/v1/namespaces/a/pods/b/log`, `/apis/apps/v1/deployments` …
 * Answers `undefined` for everything else, discovery documents included. A trailing slash is accepted.
 */
export function parseResourcePath(path: string): ResourcePath | undefined {
  const segments = segmentsOf(path);
  if (!segments) return undefined;
  const core = segments[0] === 'api';
  if (!core && segments[0] !== 'apis') return undefined;
  const [group = '', version = ''] = core ? ['', segments[1]] : [segments[1], segments[2]];
  let parts = segments.slice(core ? 2 : 3);
  if (version === '' || parts.length === 0) return undefined;
  const watch = parts[0] === 'watch';
  if (watch) parts = parts.slice(1);
  let namespace = '';
  const [first, second, third] = parts;
  if (first === 'namespaces' && second !== undefined && third !== undefined && !namespaceSubresources.has(third)) {
    namespace = second;
    parts = parts.slice(2);
  }
  const [plural, name = '', subresource = '', ...rest] = parts;
  if (plural === undefined) return undefined;
  return { group, version, namespace, plural, name, subresource, rest: rest.join('/'), watch };
}
