/** What an OpenAPI document can be written as. */
export type DocumentFormat = 'json' | 'protobuf';

/** The media type of the protobuf form of a version; what clients ask for has an `@` in it, which no answer may. */
export const protobufType = (version: 'v2' | 'v3'): string =>
  `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;

interface Range {
  readonly type: string;
  readonly quality: number;
}

function rangeOf(clause: string): Range {
  const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
  const quality = parameters.find((one) => one.startsWith('q='));
  return { type: type.toLowerCase(), quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 };
}

/** The format by an `Accept` header: by quality, then in the order written; `undefined` when none of it can be given. */
export function negotiateDocument(accept: string | undefined, version: 'v2' | 'v3'): DocumentFormat | undefined {
  if (accept === undefined || accept.trim() === '') return 'json';
  const protobuf = protobufType(version);
  const formats: Readonly<Record<string, DocumentFormat>> = {
    'application/json': 'json',
    'application/*': 'json',
    '*/*': 'json',
    [protobuf]: 'protobuf',
    [protobuf.replace('.v1.0', '@v1.0')]: 'protobuf',
  };
  const ranges = accept
    .split(',')
    .map(rangeOf)
    .sort((a, b) => b.quality - a.quality);
  const found = ranges.find(({ type, quality }) => quality > 0 && formats[type] !== undefined);
  return found && formats[found.type];
}
