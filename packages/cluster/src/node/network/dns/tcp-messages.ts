import type { Readable } from 'node:stream';

/** A message as it goes over TCP: after its length (RFC 1035 §4.2.2). */
export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(2 + message.length);
  frame.writeUInt16BE(message.length);
  frame.set(message, 2);
  return frame;
}

/** The messages in a stream, to its end; one that is cut off is left out. */
export async function* messagesOf(stream: Readable): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE()) {
      const end = 2 + rest.readUInt16BE();
      yield rest.subarray(2, end);
      rest = rest.subarray(end);
    }
  }
}
