import { apiError } from '@coxswain/runtime/core';

const aggregated = 'g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const json = 'application/json';
const offered = `${json}, application/yaml, application/vnd.kubernetes.protobuf`;
/** What documents can be written as; protobuf comes as JSON from the wire, which writes it. */
const types = new Set([json, 'application/yaml', 'application/*', '*/*']);
/** Documents that are served with those of a version. */
const versioned = /^\/(?:api(?:\/[^/]+)?|apis\/[^/]+\/[^/]+)$/;

interface Range {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

function rangeOf(clause: string): Range {
  const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
  const pairs = rest.map((part): [string, string] => {
    const equals = part.indexOf('=');
    return equals < 0 ? [part, ''] : [part.slice(0, equals).trim(), part.slice(equals + 1).trim()];
  });
  const parameters = new Map(pairs);
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

const isAggregated = ({ parameters }: Range): boolean =>
  parameters.get('as') === 'APIGroupDiscoveryList' &&
  parameters.get('g') === 'apidiscovery.k8s.io' &&
  parameters.get('v') === 'v2';

/**
 * The content type of the discovery document that a client who accepts these types gets: that of everything in one document, or `undefined`
 * for a plain one. Ranges are taken by quality, then in the order written; what they ask for beside that (`profile`) is not
 * heeded, as on a server without peers.
 * @param path without a slash at its end
 * @throws ApiError NotAcceptable
 */
export function aggregatedContentType(accept: string | undefined, path: string): string | undefined {
  if (accept === undefined || accept.trim() === '') return undefined;
  const root = path === '/api' || path === '/apis';
  const ranges = accept
    .split(',')
    .map(rangeOf)
    .sort((a, b) => b.quality - a.quality);
  for (const range of ranges) {
    if (range.quality === 0 || !types.has(range.type)) continue;
    if (!range.parameters.has('as')) return undefined;
    if (root && isAggregated(range)) {
      return `${range.type === 'application/yaml' ? range.type : json};${aggregated}`;
    }
  }
  if (versioned.test(path) && !ranges.some(({ type }) => types.has(type) || offered.includes(type))) {
    throw apiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${offered}`, {});
  }
  throw apiError(406, 'NotAcceptable', `only the following media types are accepted: ${offered}`);
}
