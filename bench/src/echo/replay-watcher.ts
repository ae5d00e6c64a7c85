import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex, Writable } from 'node:stream';
import { messageHead, WebSocket, webSocketHead } from '@coxswain/cluster/streaming';
import { systemClock } from '@coxswain/runtime/core';

/** Who watches, over HTTP or over WebSocket, which some clients prefer. */
export interface Watcher {
  /** JSON of one event each. Resolves when the client has room for more, or is gone. */
  send(events: readonly string[]): Promise<void>;
  onClose(listener: () => void): void;
}

/** Begins to answer. */
export function watcherOver(response: ServerResponse): Watcher {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  return watcher(response, (events) => events.map((event) => `${event}\n`).join(''));
}

/** Answers the handshake. As from a real server, each event is a text message; the only subprotocol that is offered is taken. */
export function webSocketWatcher({ headers }: IncomingMessage, socket: Duplex): Watcher {
  const key = String(headers['sec-websocket-key']);
  socket.write(webSocketHead(key, headers['sec-websocket-protocol']));
  void new WebSocket(socket, systemClock).read(() => undefined);
  return watcher(socket, (events) =>
    Buffer.concat(
      events.flatMap((event) => {
        const payload = Buffer.from(`${event}\n`);
        return [messageHead('text', payload.length), payload];
      }),
    ),
  );
}

function watcher(stream: Writable, encode: (events: readonly string[]) => string | Buffer): Watcher {
  return {
    send(events) {
      if (stream.destroyed || stream.write(encode(events))) return Promise.resolve();
      return new Promise((resolve) => {
        const settle = () => {
          stream.off('drain', settle).off('close', settle);
          resolve();
        };
        stream.once('drain', settle).once('close', settle);
      });
    },
    onClose: (listener) => void stream.once('close', listener),
  };
}
