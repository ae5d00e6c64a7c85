import type { OutgoingEvent } from '../apiserver/types.ts';
import { cachedJsonBytes, jsonBytes } from '../storage/index.ts';
import { protobufType } from './media-type.ts';

/** How the events of a watch are written. */
export interface WatchEncoding {
  readonly contentType: string;
  /** One event: parts to be written one after the other, shared ones among them. */
  parts(event: OutgoingEvent): readonly Buffer[];
  /** About the size of an event's object, when it was written before. */
  knownSize(object: object): number | undefined;
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
  parts: ({ type, object }) => [prefixes[type], jsonBytes(object), suffix],
  knownSize: (object) => cachedJsonBytes(object)?.length,
};

/** One frame of protobuf for each event. */
export async function protobufFrames(): Promise<WatchEncoding> {
  const { knownSize, watchFrame } = await import('./protobuf/index.ts');
  return { contentType: `${protobufType};stream=watch`, parts: watchFrame, knownSize };
}
