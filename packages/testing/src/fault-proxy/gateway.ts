import { type ClientRequest, type IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Connection, Credentials } from '@coxswain/runtime/client';
import type { KeyPair } from '@coxswain/runtime/pki';
import { type RequestMeaning, requestMeaning } from '../requests/index.ts';
import { refuse } from './refusal.ts';
import { tunnel } from './tunnel.ts';
import type { NetworkFault } from './types.ts';

/** A request as it came, to be judged. */
export interface Arrival {
  readonly meaning: RequestMeaning;
  readonly userAgent: string;
  /** Whether it is a list that streams: a watch with `sendInitialEvents`. */
  readonly streams: boolean;
}

/** What is to be done with requests. */
export interface Judge {
  /** Called once for each request; what it answers is said instead of the server. */
  refusal(arrival: Arrival): Extract<NetworkFault, { fault: 'answer' }> | undefined;
  /** Called for each piece of an answer: whether it ends here, in its middle. */
  cuts(arrival: Arrival): boolean;
}

export interface Gateway {
  readonly port: number;
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly connection: Connection;
  /** The gateway's own certificate. */
  readonly identity: KeyPair;
  /** What clients must present. */
  readonly token: string;
  readonly judge: Judge;
}

/** The HTTPS part: ends TLS, lets a judge see each request, and asks the server. */
export async function startGateway({ connection, identity, token, judge }: GatewayOptions): Promise<Gateway> {
  const sockets = new Set<Socket>();
  const credentials = await connection.credentials.current();
  const upstream = upstreamOf(connection, credentials);
  /** @returns what is to be done with its answer; `undefined`: it has been answered */
  const admit = (incoming: IncomingMessage, response: ServerResponse): (() => boolean) | undefined => {
    response.on('error', () => {});
    if (incoming.headers.authorization !== `Bearer ${token}`) {
      response.writeHead(401).end();
      return undefined;
    }
    const arrival = arrivalOf(incoming);
    const refusal = judge.refusal(arrival);
    if (!refusal) return () => judge.cuts(arrival);
    incoming.resume();
    refuse(response, refusal);
    return undefined;
  };
  const server = createServer(
    { ...identity, keepAliveTimeout: 0, requestTimeout: 0, shouldUpgradeCallback: wantsWebSocket },
    (incoming, response) => {
      const cuts = admit(incoming, response);
      if (cuts) forward(incoming, response, upstream, cuts);
    },
  );
  server.on('upgrade', (incoming: IncomingMessage, socket: Socket, head: Buffer) => {
    const response = new ServerResponse(incoming);
    response.assignSocket(socket);
    const cuts = admit(incoming, response);
    if (!cuts) {
      response.once('finish', () => socket.end());
      return;
    }
    response.detachSocket(socket);
    tunnel(ask(incoming, upstream), { socket, head, cuts });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      upstream.agent.destroy();
      await closed;
    },
  };
}

interface Upstream {
  readonly agent: Agent;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

function upstreamOf({ server, serverName, insecure }: Connection, { ca, cert, key, token }: Credentials): Upstream {
  const agent = new Agent({
    keepAlive: true,
    rejectUnauthorized: !insecure,
    ...(ca ? { ca } : {}),
    ...(cert && key ? { cert, key } : {}),
    ...(serverName ? { servername: serverName } : {}),
  });
  return { agent, url: new URL(server), headers: token ? { authorization: `Bearer ${token}` } : {} };
}

function arrivalOf({ method = 'GET', url = '/', headers }: IncomingMessage): Arrival {
  const { pathname, searchParams } = new URL(url, 'https://proxy');
  const query = Object.fromEntries(searchParams);
  return {
    meaning: requestMeaning(method, pathname, query),
    userAgent: headers['user-agent'] ?? '',
    streams: query['sendInitialEvents'] === 'true',
  };
}

/** Watches of some clients come over WebSockets. Other offers, as of HTTP/2, are passed over, as API servers do on HTTP/1.1. */
function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** The same request to the server, as the administrator; its body is yet to come. */
function ask(incoming: IncomingMessage, upstream: Upstream): ClientRequest {
  const { authorization: _ours, ...headers } = incoming.headers;
  return request({
    agent: upstream.agent,
    hostname: upstream.url.hostname,
    port: upstream.url.port,
    method: incoming.method,
    path: incoming.url,
    headers: { ...headers, ...upstream.headers },
  });
}

/** Whatever breaks on one side breaks the other. */
function forward(incoming: IncomingMessage, response: ServerResponse, upstream: Upstream, cuts: () => boolean): void {
  const asked = ask(incoming, upstream);
  const broken = () => response.socket?.destroy();
  asked.once('error', broken);
  asked.once('response', (answer) => {
    answer.once('error', broken);
    answer.once('aborted', broken);
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.flushHeaders();
    answer.on('data', (chunk: Buffer) => {
      if (cuts()) {
        // the half is to be on its way before the end
        response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => response.socket?.destroy());
        answer.destroy();
      } else if (!response.write(chunk)) answer.pause();
    });
    response.on('drain', () => answer.resume());
    answer.once('end', () => response.end());
  });
  response.once('close', () => asked.destroy());
  incoming.pipe(asked);
}
