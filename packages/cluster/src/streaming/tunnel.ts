import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import { Channel } from './channel.ts';
import { WebSocket } from './web-socket.ts';

/** A connection carried in the binary messages of a WebSocket, however they are cut. */
export function tunnel(stream: Duplex, clock: Clock): Duplex {
  const socket = new WebSocket(stream, clock);
  const inner = new Channel({
    reads: true,
    send: (data) => socket.send('binary', data),
    onEnd: () => socket.close(),
    onDestroyed: () => void socket.close(),
  });
  void socket
    .read(({ payload }) => inner.deliver(payload))
    .then(() => {
      inner.finish();
      inner.end();
    });
  return inner;
}
