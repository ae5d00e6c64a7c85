import type { Server } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Logger } from '@coxswain/runtime/core';
import type { Authority } from '@coxswain/runtime/pki';
import { serverNames } from '../pki/index.ts';
import { type ExchangeOptions, Exchanges } from './exchanges.ts';
import { headerLimit } from './header-limit.ts';
import { http1Reply, http1Request, isStalled, stallLimit, upgradeReply } from './http-message.ts';
import type { Http2Door } from './http2-door.ts';
import { listen } from './listen.ts';
import { upgradeKind } from './upgrade.ts';

/** Bytes that the reader of the real server takes beyond its limit. */
const headerSlack = 4096;

export interface HttpsOptions extends ExchangeOptions {
  /** 0 picks a free one. */
  readonly port: number;
  /** Default `127.0.0.1`. */
  readonly host?: string;
  readonly authority: Authority;
  /** DNS names and addresses of the certificate; default those that a cluster's server has everywhere. */
  readonly names?: readonly string[];
}

export interface HttpsServer {
  readonly port: number;
  /** Ends watches, lets running requests finish (a second at most), and frees the port. */
  close(): Promise<void>;
}

/** @throws ListenError when the port cannot be had */
export async function startHttps(options: HttpsOptions): Promise<HttpsServer> {
  const { authority, host = '127.0.0.1', log } = options;
  const { cert, key } = authority.issueServer(options.names ?? serverNames, { commonName: 'kube-apiserver' });
  const server = createServer({
    cert,
    key,
    ca: authority.cert,
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2', 'http/1.1'],
    // Longer than the 90 s for which Go clients keep idle connections, so that they never write to a closing one.
    keepAliveTimeout: 180_000,
    headersTimeout: 60_000,
    // Only the time to receive a request; answers, watches too, may take as long as they like.
    requestTimeout: 60_000,
    maxHeaderSize: headerLimit + headerSlack,
    handshakeTimeout: 15_000,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    noDelay: true,
    // Wishes for protocols that are not spoken here are passed over (RFC 9110 §7.8).
    shouldUpgradeCallback: (request) => upgradeKind(request) !== undefined,
  });
  const exchange = new Exchanges(options, () => setImmediate(() => server.closeIdleConnections()));
  server.on('request', (request, response) => exchange.serve(http1Request(request), http1Reply(response)));
  server.on('upgrade', (request, socket, head) => {
    const kind = upgradeKind(request);
    (socket as Socket).setTimeout(0);
    if (kind) exchange.serve(http1Request(request, { kind, socket, head }), upgradeReply(request, socket as Socket));
    else socket.destroy();
  });
  server.setTimeout(stallLimit, (socket) => {
    if (isStalled(socket)) socket.destroy();
  });
  const closeHttp2 = splitByProtocol(server, exchange, options);
  quiet(server, log);
  const sockets = openSockets(server);
  const port = await listen(server, options.port, host);
  // until here a failure is the caller's to tell
  server.on('error', (error) => log.error({ error }, 'the HTTPS server failed'));
  return {
    port,
    close: () => {
      closeHttp2();
      return shutDown(server, sockets, exchange, options.clock);
    },
  };
}

/**
 * Leaves Node's HTTPS server the connections of HTTP/1.1, and serves those of HTTP/2. The code for them is loaded with the first one.
 * Answers how to say goodbye to their clients.
 */
function splitByProtocol(server: Server, exchange: Exchanges, { log, clock }: HttpsOptions): () => void {
  const http1 = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  let door: Http2Door | undefined;
  let closed = false;
  const load = async (): Promise<Http2Door> => {
    const { Http2Door } = await import('./http2-door.ts');
    door ??= new Http2Door({ serve: (request, reply) => exchange.serve(request, reply), log, clock });
    if (closed) door.close();
    return door;
  };
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') for (const listener of http1) listener.call(server, socket);
    else if (door) door.accept(socket);
    else void load().then((loaded) => loaded.accept(socket));
  });
  return () => {
    closed = true;
    door?.close();
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
    socket.end(`HTTP/1.1 ${line}\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n${line}`);
    // What is still coming is read away, or the answer would be lost in a reset.
    (socket as Socket).resume().setTimeout(5000, () => socket.destroy());
  });
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => socket.destroy()));
}

async function shutDown(
  server: Server,
  sockets: ReadonlySet<Socket>,
  exchange: Exchanges,
  clock: Clock,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  exchange.endStreams();
  server.closeIdleConnections();
  const patience = clock.after(1000, () => {
    for (const socket of sockets) socket.destroy();
  });
  await closed;
  patience.cancel();
}
