import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { UserInfo } from '../apiserver/types.ts';
import { http } from '../late-modules.ts';
import type { Upgrade } from './upgrade.ts';

/** Milliseconds for which a client may take nothing of its answer before it is cut off. */
export const stallLimit = 60_000;

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
  /** Who asks, once that was asked for. */
  user?: Promise<UserInfo>;
  /** What the credentials give cause to warn of; known when the user is. */
  warnings?: readonly string[];
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
  /** The answer is complete: it is cut off when the client takes nothing of it for {@link stallLimit}. */
  limitStall(): void;
  /** Breaks off without an answer. */
  reset(): void;
  /** Gives the connection away, before any head: nothing is written here any more. Only HTTP/1.1 can. */
  detach?(): void;
}

export function http1Request(message: IncomingMessage, upgrade?: Upgrade): HttpRequest {
  const { method = '', url = '/', headers, rawHeaders, socket } = message;
  const request = { method, url: withoutOrigin(url), headers, rawHeaders, socket, body: message };
  // What follows the head of such a request is the other protocol's.
  if (upgrade) return { ...request, hasBody: false, upgrade };
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return { ...request, hasBody };
}

/** Clients may write a whole URL (RFC 9112 §3.2.2), as they do for proxies; there is but one server here. */
function withoutOrigin(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '');
  return path.startsWith('/') || path === url ? path : `/${path}`;
}

/** How many answers of a connection are being made, or go on for long: silence is nothing wrong then. */
const pending = new WeakMap<Socket, number>();

/** Whether a connection of HTTP/1.1 on which nothing moved for {@link stallLimit} is of no use any more: idle, or stuck in an answer. */
export const isStalled = (socket: Socket): boolean => !pending.get(socket);

export function http1Reply(response: ServerResponse): HttpReply {
  const { socket } = response.req;
  let isPending = true;
  pending.set(socket, (pending.get(socket) ?? 0) + 1);
  const settle = () => {
    if (isPending) pending.set(socket, (pending.get(socket) ?? 1) - 1);
    isPending = false;
  };
  // That a connection goes on is not said, as by Go's servers: it is so unless something else is said.
  if (response.shouldKeepAlive && response.req.httpVersionMinor > 0) response.removeHeader('Connection');
  return {
    body: response,
    get isGone() {
      return response.destroyed || socket.destroyed;
    },
    onClose: (listener) => {
      response.once('close', () => {
        settle();
        listener(response.writableFinished);
      });
    },
    setHeader: (name, value) => void response.setHeader(name, value),
    writeHead: (code, headers) => void response.writeHead(code, headers),
    flushHead: () => response.flushHeaders(),
    endConnection: () => void response.setHeader('Connection', 'close'),
    // The connection has a timer; one for each answer would be the dearest part of it.
    limitStall: settle,
    reset: () => void socket.destroy(),
    detach: () => response.detachSocket(socket),
  };
}

/** The answer to a request that Node handed over with its connection because it asks for an upgrade. */
export function upgradeReply(message: IncomingMessage, socket: Socket): HttpReply {
  const response = new (http().ServerResponse)(message);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => socket.end());
  return http1Reply(response);
}
