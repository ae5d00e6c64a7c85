import type { OutgoingEvent } from '../apiserver/types.ts';
import { cachedJsonBytes, jsonBytes } from '../storage/index.ts';
import { type OutputFormat, protobufType } from './media-type.ts';

/** How the events of a watch are written. */
export interface WatchEncoding {
  readonly contentType: string;
  /** Others of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** One event: parts to be written one after the other, shared ones among them. */
  parts(event: OutgoingEvent): readonly Buffer[];
  /** About the size of an event, when its object was written before. */
  knownSize(event: OutgoingEvent): number | undefined;
  /** What becomes of events that are written together. Default: their parts, one after the other. */
  pack?(parts: readonly Buffer[]): Buffer;
}

const prefixes: Readonly<Record<OutgoingEvent['type'], Buffer>> = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
  BOOKMARK: Buffer.from('{"type":"BOOKMARK","object":'),
  ERROR: Buffer.from('{"type":"ERROR","object":'),
};
const suffix = Buffer.from('}\n');

/** One line of JSON for each event. */
export const jsonLines: WatchEncoding = {
  contentType: 'application/json',
  parts: (event) => [prefixes[event.type], event.json ?? jsonBytes(event.object), suffix],
  knownSize: (event) => (event.json ?? cachedJsonBytes(event.object as object))?.length,
};

/** One frame of protobuf for each event. */
export async function protobufFrames(): Promise<WatchEncoding> {
  const { knownSize, watchFrame } = await import('./protobuf/index.ts');
  return {
    contentType: `${protobufType};stream=watch`,
    parts: watchFrame,
    knownSize: ({ object }) => knownSize(object as object),
  };
}

/** The same, compressed: what is written together is one member of the gzip stream, so that nothing waits for more to come. */
export async function gzipped(encoding: WatchEncoding): Promise<WatchEncoding> {
  const { gzipMember } = await import('./gzip-member.ts');
  const headers = { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' };
  return { ...encoding, headers, pack: gzipMember };
}

/** One message of a WebSocket for each event: a line of text, or the bytes of a frame without their length. */
export async function watchMessages(format: OutputFormat): Promise<WatchEncoding> {
  const { messageHead } = await import('../streaming/index.ts');
  const isBinary = format === 'protobuf';
  const encoding = isBinary ? await protobufFrames() : jsonLines;
  return {
    ...encoding,
    parts: (event) => {
      const [first = Buffer.alloc(0), ...rest] = encoding.parts(event);
      const parts = [isBinary ? first.subarray(4) : first, ...rest];
      const length = parts.reduce((sum, part) => sum + part.length, 0);
      return [messageHead(isBinary ? 'binary' : 'text', length), ...parts];
    },
  };
}
