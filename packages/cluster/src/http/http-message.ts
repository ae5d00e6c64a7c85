import { type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Upgrade } from './upgrade.ts';

/** A request, of HTTP/1.1 or HTTP/2. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, as written. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** The connection, which others may share. */
  readonly socket: Socket;
  readonly hasBody: boolean;
  readonly body: Readable;
  /** The client wants to go on with another protocol. */
  readonly upgrade?: Upgrade;
}

/** The answer to a request. */
export interface HttpReply {
  /** Takes the body, after the head; ends the answer. */
  readonly body: Writable;
  /** The client is gone. */
  readonly isGone: boolean;
  /** Calls back once: `complete` when the answer is out, else when the client is gone. */
  onClose(listener: (complete: boolean) => void): void;
  /** Kept for the head. */
  setHeader(name: string, value: string): void;
  writeHead(code: number, headers?: OutgoingHttpHeaders): void;
  /** Sends the head before there is a body. */
  flushHead(): void;
  /** Asks the client to use the connection no more, where that is said with an answer. */
  endConnection(): void;
  /** Cuts the answer off when the client takes nothing of it for so many milliseconds. */
  limitStall(ms: number): void;
  /** Breaks off without an answer. */
  reset(): void;
  /** Gives the connection away, before any head: nothing is written here any more. Only HTTP/1.1 can. */
  detach?(): void;
}

export function http1Request(message: IncomingMessage, upgrade?: Upgrade): HttpRequest {
  const { method = '', url = '/', headers, rawHeaders, socket } = message;
  const request = { method, url, headers, rawHeaders, socket, body: message };
  // What follows the head of such a request is the other protocol's.
  if (upgrade) return { ...request, hasBody: false, upgrade };
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return { ...request, hasBody };
}

export function http1Reply(response: ServerResponse): HttpReply {
  const { socket } = response;
  // That a connection goes on is not said, as by Go's servers: it is so unless something else is said.
  if (response.shouldKeepAlive && response.req.httpVersionMinor > 0) response.removeHeader('Connection');
  return {
    body: response,
    get isGone() {
      return response.destroyed;
    },
    onClose: (listener) => void response.once('close', () => listener(response.writableFinished)),
    setHeader: (name, value) => void response.setHeader(name, value),
    writeHead: (code, headers) => void response.writeHead(code, headers),
    flushHead: () => response.flushHeaders(),
    endConnection: () => void response.setHeader('Connection', 'close'),
    limitStall: (ms) => void response.setTimeout(ms, () => response.destroy()),
    reset: () => void socket?.destroy(),
    detach: () => {
      if (socket) response.detachSocket(socket);
    },
  };
}

/** The answer to a request that Node handed over with its connection because it asks for an upgrade. */
export function upgradeReply(message: IncomingMessage, socket: Socket): HttpReply {
  const response = new ServerResponse(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  return http1Reply(response);
}
