import { notAcceptable } from './status.ts';

export type OutputFormat = 'json' | 'yaml' | 'protobuf';

export const protobufType = 'application/vnd.kubernetes.protobuf';

/** What answers can be written as, in the order they are offered. */
const outputs: readonly { readonly mediaType: string; readonly format: OutputFormat }[] = [
  { mediaType: 'application/json', format: 'json' },
  { mediaType: 'application/yaml', format: 'yaml' },
  { mediaType: protobufType, format: 'protobuf' },
];

export const mediaTypeOf: Readonly<Record<OutputFormat, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: protobufType,
};

/** The media type without parameters, in lower case; `''` when there is none. */
export function bareMediaType(header: string | undefined): string {
  return (header ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

export interface Offer {
  /** The answer is a stream of events; YAML has none. */
  readonly stream?: boolean;
  /** Protobuf is possible for whole objects, and not only for their metadata: a path of built-in kinds. */
  readonly protobuf?: boolean;
}

/** What was agreed on. */
export interface Agreement {
  readonly format: OutputFormat;
  /** The clause of the header that decided, with its parameters. */
  readonly clause: string;
}

/**
 * The format of the answer by an `Accept` header: clauses by `q`, then in their order. What parameters such as `as=Table` ask for
 * is the handler's, except that it decides whether protobuf is possible.
 * @throws ApiError 406 NotAcceptable
 */
export function negotiate(accept: string | undefined, offer: Offer = {}): Agreement {
  if (!accept || accept === '*/*' || accept === 'application/json')
    return { format: 'json', clause: 'application/json' };
  const found = choose(accept, (format, clause) => {
    if (format === 'yaml') return !offer.stream;
    return format === 'json' || allowsProtobuf(clause, offer.protobuf === true);
  });
  if (found) return found;
  throw notAcceptable(
    outputs
      .filter(({ format }) => !offer.stream || format !== 'yaml')
      .map(({ mediaType }) => (offer.stream ? `${mediaType};stream=watch` : mediaType)),
  );
}

/** The format of a Status that tells of a failure: clauses that ask for another form of the object do not count. */
export function failureFormat(accept: string | undefined): OutputFormat {
  return choose(accept ?? '', (_, clause) => parameter(clause, 'as') === undefined)?.format ?? 'json';
}

/** Whether a header names any type that answers are written in, whatever else it asks of it. */
export function namesOutput(accept: string): boolean {
  return choose(accept, () => true) !== undefined;
}

function choose(accept: string, allows: (format: OutputFormat, clause: string) => boolean): Agreement | undefined {
  for (const clause of clausesOf(accept)) {
    const type = bareMediaType(clause);
    const match = outputs.find(
      ({ mediaType, format }) =>
        (type === mediaType || type === '*/*' || type === 'application/*') && allows(format, clause),
    );
    if (match) return { format: match.format, clause };
  }
  return undefined;
}

/** There is no Table in protobuf; the metadata of any object can be had in it, and discovery in one document. */
function allowsProtobuf(clause: string, whole: boolean): boolean {
  const as = parameter(clause, 'as');
  if (as === undefined) return whole;
  if (as === 'APIGroupDiscoveryList') return whole;
  const known = as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList';
  return known && parameter(clause, 'g') === 'meta.k8s.io' && parameter(clause, 'v') === 'v1';
}

function parameter(clause: string, name: string): string | undefined {
  for (const part of clause.split(';').slice(1)) {
    const [key, value = ''] = part.split('=');
    if (key?.trim().toLowerCase() === name) return value.trim();
  }
  return undefined;
}

function clausesOf(accept: string): string[] {
  const clauses = accept.split(',').map((clause) => {
    const quality = /;\s*q\s*=\s*([\d.]+)/i.exec(clause)?.[1];
    return { clause, quality: quality === undefined ? 1 : Number(quality) || 0 };
  });
  // The sort is stable: equal qualities stay in the order of the header.
  return clauses
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
    .map(({ clause }) => clause.trim());
}
