import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { WebSocket } from './web-socket.ts';

/** Subprotocols for bytes as they come (logs); `''`: the client named none. */
export const bytesProtocols = ['binary.k8s.io', 'base64.binary.k8s.io', ''] as const;

/** Sends bytes as messages, after an empty one. What the client sends is passed over. Resolves when the connection is done with. */
export async function bytesOverWebSocket(
  stream: Duplex,
  body: AsyncIterable<Uint8Array>,
  protocol: (typeof bytesProtocols)[number],
  clock: Clock,
): Promise<void> {
  const socket = new WebSocket(stream, clock);
  const send = (bytes: Buffer) =>
    protocol === 'base64.binary.k8s.io'
      ? socket.send('text', Buffer.from(bytes.toString('base64')))
      : socket.send('binary', bytes);
  const source = body[Symbol.asyncIterator]();
  let left = false;
  const reading = socket
    .read(() => undefined)
    .finally(() => {
      left = true;
      // Lets go of a source that waits for more.
      Promise.resolve(source.return?.()).catch(() => {});
    });
  try {
    await send(Buffer.alloc(0));
    for (;;) {
      const { value, done } = await source.next();
      if (done || left) break;
      await send(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    }
  } catch {
    // A source that fails ends the answer, as it does without WebSocket.
  }
  await socket.close();
  await reading;
}
