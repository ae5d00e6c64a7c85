import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import { type Clock, type Logger, type Random, systemRandom } from '@coxswain/runtime/core';
import type { ApiResponse } from '../apiserver/types.ts';
import type { Authority } from '../pki/index.ts';
import { auditId } from './audit-id.ts';
import { authenticate, type TokenAuthenticator } from './authenticate.ts';
import { limitOf, withDeadline } from './deadline.ts';
import type { ApiHandler } from './handler.ts';
import { listen } from './listen.ts';
import { negotiate, type OutputFormat } from './media-type.ts';
import { failure, respond } from './respond.ts';
import { statusOf } from './status.ts';
import { type Target, targetOf, toApiRequest } from './to-request.ts';
import { WatchWriter } from './watch-writer.ts';

export interface HttpsOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  readonly handler: ApiHandler;
  readonly authority: Authority;
  /** Who a bearer token belongs to. Without it no token is valid. */
  readonly authenticate?: TokenAuthenticator;
  readonly log: Logger;
  readonly clock: Clock;
  /** Draws audit ids. */
  readonly random?: Random;
}

export interface HttpsServer {
  readonly port: number;
  /** Ends watches, lets running requests finish (a second at most), and frees the port. */
  close(): Promise<void>;
}

/** @throws ListenError when the port cannot be had */
export async function startHttps(options: HttpsOptions): Promise<HttpsServer> {
  const { authority, host = '127.0.0.1', log } = options;
  const { cert, key } = authority.issueServer();
  const server = createServer({
    cert,
    key,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    // Longer than the 90 s for which Go clients keep idle connections, so that they never write to a closing one.
    keepAliveTimeout: 180_000,
    headersTimeout: 60_000,
    // Only the time to receive a request; answers, watches too, may take as long as they like.
    requestTimeout: 60_000,
    maxHeaderSize: 64 * 1024,
    handshakeTimeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
  });
  const exchange = new Exchanges(options, () => setImmediate(() => server.closeIdleConnections()));
  server.on('request', (request, response) => exchange.serve(request, response));
  quiet(server, log);
  const sockets = openSockets(server);
  const port = await listen(server, options.port, host);
  return {
    port,
    close: () => shutDown(server, sockets, exchange, options.clock),
  };
}

/** All connections, those still in their handshake too. */
function openSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

/** Clients that speak something else, reset or stall are their own problem: never an unhandled error here. */
function quiet(server: Server, log: Logger): void {
  server.on('tlsClientError', (error: Error, socket: Socket) => {
    log.debug({ error: error.message }, 'a client failed in the TLS handshake');
    socket.destroy();
  });
  server.on('clientError', (error: Error & { code?: string }, socket) => {
    // More of what was refused already.
    if (socket.writableEnded && !socket.destroyed) return;
    // Only what was understood as TLS but not as HTTP gets an answer.
    if (!error.code?.startsWith('HPE_') || !socket.writable) return void socket.destroy();
    const line = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${line}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    // What is still coming is read away, or the answer would be lost in a reset.
    (socket as Socket).resume().setTimeout(5000, () => socket.destroy());
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => socket.destroy()));
  server.on('error', (error) => log.error({ error }, 'the HTTPS server failed'));
}

async function shutDown(
  server: Server,
  sockets: ReadonlySet<Socket>,
  exchange: Exchanges,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  exchange.endWatches();
  server.closeIdleConnections();
  const patience = clock.after(1000, () => {
    for (const socket of sockets) socket.destroy();
  });
  await closed;
  patience.cancel();
}

/** Turns requests into calls of the handler, and its answers into bytes. */
class Exchanges {
  readonly #options: HttpsOptions;
  readonly #onIdle: () => void;
  readonly #random: Random;
  readonly #watches = new Set<WatchWriter>();
  #closing = false;

  /** @param onIdle called after each answer while the server closes */
  constructor(options: HttpsOptions, onIdle: () => void) {
    this.#options = options;
    this.#onIdle = onIdle;
    this.#random = options.random ?? systemRandom;
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    this.#exchange(request, response).catch((error: unknown) => {
      if (!response.destroyed) this.#options.log.warn({ error, url: request.url }, 'an answer could not be written');
      response.destroy();
    });
  }

  endWatches(): void {
    this.#closing = true;
    for (const watch of this.#watches) watch.end();
  }

  async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.once('close', () => {
      // Aborting is not free, and nobody listens any more when the answer is out.
      if (!response.writableFinished) gone.abort();
      else if (this.#closing) this.#onIdle();
    });
    response.on('error', () => gone.abort());
    const given = request.headers['audit-id'];
    response.setHeader('Audit-Id', typeof given === 'string' && given ? given : auditId(this.#random));
    response.setHeader('Cache-Control', 'no-cache, private');
    if (this.#closing) response.setHeader('Connection', 'close');
    const target = targetOf(request.url ?? '/');
    let format: OutputFormat = 'json';
    let answer: ApiResponse;
    try {
      const accepted = formatFor(request, target);
      const user = await authenticate(request, this.#options.authenticate);
      const apiRequest = await toApiRequest(request, target, user, gone.signal);
      format = accepted;
      const limit = limitOf(request, target);
      const answering = this.#options.handler(apiRequest);
      answer = await (limit === undefined
        ? answering
        : withDeadline(answering, this.#options.clock, limit, () => gone.abort()));
    } catch (error) {
      if (response.destroyed) return;
      answer = this.#refusal(error, request);
    }
    if (answer.kind === 'watch') return this.#watch(request, response, answer);
    request.resume();
    await respond(request, response, answer, { format, pretty: isPretty(request, target) });
  }

  async #watch(
    request: IncomingMessage,
    response: ServerResponse,
    answer: Extract<ApiResponse, { kind: 'watch' }>,
  ): Promise<void> {
    if (response.destroyed || request.method === 'HEAD') {
      answer.stream.cancel();
      response.end();
      return;
    }
    response.writeHead(200, { 'Content-Type': 'application/json', ...answer.headers });
    response.flushHeaders();
    const writer = new WatchWriter(response, answer.stream);
    this.#watches.add(writer);
    const done = writer.run();
    if (this.#closing) writer.end();
    await done;
    this.#watches.delete(writer);
  }

  #refusal(error: unknown, request: IncomingMessage): ApiResponse {
    const status = statusOf(error);
    if (status.code === 500) {
      this.#options.log.error(
        { error, method: request.method, url: request.url },
        'a request failed inside the server',
      );
    }
    return failure(status);
  }
}

/** API paths are negotiated before anything is done; what else is served has types of its own. */
function formatFor(request: IncomingMessage, target: Target): OutputFormat {
  const stream = target.query.watch === 'true' || target.query.watch === '1';
  try {
    return negotiate(request.headers.accept, stream);
  } catch (error) {
    if (target.path.startsWith('/api/') || target.path.startsWith('/apis/')) throw error;
    return 'json';
  }
}

/** `?pretty` decides; without it people with a command line or a browser get indentation, programs do not. */
function isPretty(request: IncomingMessage, target: Target): boolean {
  const { pretty } = target.query;
  if (pretty !== undefined) return pretty === '1' || pretty.toLowerCase() === 'true' || pretty.toLowerCase() === 't';
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
