import { notAcceptable } from './status.ts';

export type OutputFormat = 'json' | 'yaml';

/** What answers can be written as, in the order they are offered. */
const outputs: readonly { readonly mediaType: string; readonly format: OutputFormat }[] = [
  { mediaType: 'application/json', format: 'json' },
  { mediaType: 'application/yaml', format: 'yaml' },
];

/** The media type without parameters, in lower case; `''` when there is none. */
export function bareMediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/**
 * The format of the answer by an `Accept` header: clauses by `q`, then in their order. Parameters such as `as=Table` are the
 * handler's. Streams are JSON only.
 * @throws ApiError 406 NotAcceptable
 */
export function negotiate(accept: string | undefined, stream = false): OutputFormat {
  if (!accept || accept === '*/*' || accept === 'application/json') return 'json';
  const offered = stream ? outputs.filter((output) => output.format === 'json') : outputs;
  for (const type of acceptedTypes(accept)) {
    const match = offered.find(
      (output) => type === output.mediaType || type === '*/*' || (type === 'application/*' && output.format === 'json'),
    );
    if (match) return match.format;
  }
  throw notAcceptable(offered.map((output) => output.mediaType));
}

function acceptedTypes(accept: string): string[] {
  const clauses = accept.split(',').map((clause) => {
    const quality = /;\s*q\s*=\s*([\d.]+)/i.exec(clause)?.[1];
    return { type: bareMediaType(clause), quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  // The sort is stable: equal qualities stay in the order of the header.
  return clauses
    .filter((clause) => clause.quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map((clause) => clause.type);
}
