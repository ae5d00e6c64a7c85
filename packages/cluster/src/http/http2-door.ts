import type { Http2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Clock, Logger } from '@coxswain/runtime/core';
import { http2 } from '../late-modules.ts';
import { headerLimit } from './header-limit.ts';
import type { HttpReply, HttpRequest } from './http-message.ts';
import { http2Reply, http2Request } from './http2-message.ts';

const mebibyte = 1024 * 1024;

const options = {
  // Clients end all their watches at once when they stop, and the others of their process share the connection. Without these it is cut
  // off at a thousand.
  streamResetBurst: 16 * 1024,
  streamResetRate: 1024,
  // The default of 10 MiB sends clients with some hundred watches on one connection away (ENHANCE_YOUR_CALM).
  maxSessionMemory: 1024,
  maxHeaderListPairs: 16 * 1024,
  settings: {
    // Go opens another connection beyond it. Each watch is one.
    maxConcurrentStreams: 4096,
    // As counted here (RFC 9113 §6.5.2), with some for what surrounds names and values; as the real server.
    maxHeaderListSize: headerLimit + 320,
    // A head may come in nine frames at most.
    maxFrameSize: 256 * 1024,
    // As the real server: most bodies fit without waiting for the window to open.
    initialWindowSize: 256 * 1024,
  },
};

/** Bodies that nobody has read yet may not keep other requests of the connection from being heard. */
const connectionWindow = 16 * mebibyte;
/** Milliseconds for which a connection may be without a request: longer than the 90 s of Go's pool. */
const idleLimit = 180_000;
/** Milliseconds for which a client may take to send the body of a request. */
const bodyLimit = 60_000;

export interface Http2DoorOptions {
  serve(request: HttpRequest, reply: HttpReply): void;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Serves connections of HTTP/2 after their TLS handshake. Every request is a stream; none waits for another. */
export class Http2Door {
  readonly #options: Http2DoorOptions;
  readonly #sessions = new Set<Http2Session>();
  #closing = false;

  constructor(options: Http2DoorOptions) {
    this.#options = options;
  }

  accept(socket: TLSSocket): void {
    if (socket.destroyed) return;
    if (this.#closing) return void socket.destroy();
    const session = http2().performServerHandshake(socket, options);
    this.#sessions.add(session);
    session.once('close', () => this.#sessions.delete(session));
    session.on('error', (error) => {
      this.#options.log.debug({ error: error.message }, 'a connection of HTTP/2 broke');
    });
    session.once('connect', () => session.setLocalWindowSize(connectionWindow));
    let streams = 0;
    session.setTimeout(idleLimit, () => {
      // A connection that only waits for watches is silent, too.
      if (streams === 0) session.close();
    });
    session.on('stream', (stream, headers, _flags, rawHeaders) => {
      streams++;
      stream.once('close', () => streams--);
      this.#serve(stream, http2Request(stream, headers, rawHeaders, socket));
    });
  }

  /** Tells all clients to open no more requests here (GOAWAY); connections close when the running ones are answered. */
  close(): void {
    this.#closing = true;
    for (const session of this.#sessions) session.close();
  }

  #serve(stream: ServerHttp2Stream, request: HttpRequest): void {
    // The client's resets and our own: told by the end of the stream.
    stream.on('error', () => {});
    // What is left of a body after the answer would keep the stream open.
    stream.once('finish', () => stream.resume());
    if (request.headers.expect?.toLowerCase() === '100-continue') stream.additionalHeaders({ ':status': 100 });
    if (request.hasBody) {
      const timer = this.#options.clock.after(bodyLimit, () => stream.destroy());
      stream.once('end', () => timer.cancel()).once('close', () => timer.cancel());
    }
    this.#options.serve(request, http2Reply(stream));
  }
}
