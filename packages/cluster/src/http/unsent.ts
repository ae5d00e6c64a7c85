import type { Socket } from 'node:net';
import type { HttpReply } from './http-message.ts';

/** Bytes of answers that may wait for a connection to take them, the newest answer not counted. */
export const unsentLimit = 128 * 1024 * 1024;

interface Connection {
  bytes: number;
  isMaking: boolean;
  readonly waiting: (() => void)[];
}

/**
 * Answers that were made for a connection and that it has not taken yet. Who asks for more than it reads is cut off: a connection has
 * room for thousands of requests, each of a few bytes.
 */
export class Unsent {
  readonly #connections = new WeakMap<Socket, Connection>();

  /** Makes an answer, when the others of the connection that are being made are done and counted. Not for one that is gone. */
  async make(socket: Socket, reply: HttpReply, write: () => Promise<void>): Promise<void> {
    const connection = this.#of(socket);
    while (connection.isMaking) await new Promise<void>((resolve) => connection.waiting.push(resolve));
    connection.isMaking = true;
    try {
      if (connection.bytes > unsentLimit) socket.destroy();
      if (reply.isGone) return;
      await write();
      if (!reply.body.writableFinished) this.#hold(connection, reply);
    } finally {
      connection.isMaking = false;
      connection.waiting.shift()?.();
    }
  }

  /** Counts an answer until it is out. */
  #hold(connection: Connection, reply: HttpReply): void {
    const size = reply.body.writableLength;
    connection.bytes += size;
    reply.onClose(() => {
      connection.bytes -= size;
    });
  }

  #of(socket: Socket): Connection {
    let connection = this.#connections.get(socket);
    if (!connection) {
      connection = { bytes: 0, isMaking: false, waiting: [] };
      this.#connections.set(socket, connection);
    }
    return connection;
  }
}
