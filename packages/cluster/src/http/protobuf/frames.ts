import type { OutgoingEvent } from '../../apiserver/types.ts';
import { encodeObject, hasMessage } from './object.ts';
import { wire } from './reader.ts';
import { ReverseWriter } from './writer.ts';

/** One event of a watch: its length in four bytes, and a bare WatchEvent whose object has an envelope. Parts, some of them shared. */
export function watchFrame({ type, object }: OutgoingEvent): Buffer[] {
  if (!hasMessage(object)) throw new Error('an event of a watch has no protobuf form');
  const parts = encodeObject(object);
  const size = parts.reduce((sum, part) => sum + part.length, 0);
  const writer = new ReverseWriter(64);
  const field = (number: number) => writer.uint(number * 8 + wire.bytes);
  // From the last byte to the first: WatchEvent.object.raw, WatchEvent.object, WatchEvent.type.
  writer.uint(size);
  field(1);
  writer.uint(writer.length + size);
  field(2);
  writer.string(type);
  field(1);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(writer.length + size);
  writer.bytes(length);
  return [writer.take(), ...parts];
}
