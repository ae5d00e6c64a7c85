import { apiError } from '@coxswain/runtime/core';

/** The form a client wants objects in. */
export type Projection = 'Object' | 'Table' | 'PartialObjectMetadata';

interface Range {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const encodings = new Set(['application/json', 'application/yaml', 'application/*', '*/*']);
const projections: Readonly<Record<string, Projection>> = {
  Table: 'Table',
  PartialObjectMetadata: 'PartialObjectMetadata',
  PartialObjectMetadataList: 'PartialObjectMetadata',
};

function parseRange(text: string): Range {
  const [type = '', ...pairs] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      return equals < 0 ? [pair, ''] : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
    }),
  );
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 0 : quality };
}

/** What is asked for, and in which version of `meta.k8s.io`. */
export interface Form {
  readonly projection: Projection;
  readonly version: 'v1' | 'v1beta1';
}

function formOf(range: Range, tables: boolean): Form | undefined {
  if (!encodings.has(range.type) || range.quality === 0) return undefined;
  const as = range.parameters.get('as');
  if (as === undefined) return { projection: 'Object', version: 'v1' };
  if ((range.parameters.get('g') ?? 'meta.k8s.io') !== 'meta.k8s.io') return undefined;
  const version = range.parameters.get('v') ?? 'v1';
  const projection = projections[as];
  if (!projection || (version !== 'v1' && version !== 'v1beta1')) return undefined;
  return projection === 'Table' && !tables ? undefined : { projection, version };
}

/**
 * The form asked for by an `Accept` header: the first range that is possible, in order of quality, then of writing.
 * @param tables whether tables can be made
 * @throws ApiError NotAcceptable
 */
export function negotiateForm(accept: string | undefined, tables: boolean): Form {
  if (accept === undefined || accept.trim() === '') return { projection: 'Object', version: 'v1' };
  const ranges = accept.split(',').map(parseRange);
  ranges.sort((a, b) => b.quality - a.quality);
  for (const range of ranges) {
    const form = formOf(range, tables);
    if (form) return form;
  }
  const types = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
  throw apiError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`);
}

/** As {@link negotiateForm}, whatever the version. */
export const negotiateProjection = (accept: string | undefined, tables: boolean): Projection =>
  negotiateForm(accept, tables).projection;
