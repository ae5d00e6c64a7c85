import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import type { CommandSession, PortForwardSession, TunnelSession } from '../apiserver/streams.ts';
import { join } from '../apiserver/subresources/connect/index.ts';
import type { ApiResponse } from '../apiserver/types.ts';
import { http } from '../late-modules.ts';
import {
  bytesOverWebSocket,
  bytesProtocols,
  type CommandProtocol,
  commandOverSpdy,
  commandOverWebSocket,
  commandProtocols,
  portForwardProtocols,
  portsOverSpdy,
  portsOverWebSocket,
  spdyCommandProtocols,
  spdyHead,
  spdyPortForwardProtocol,
  tunnel,
  WebSocket,
  Wire,
  webSocketHead,
  webSocketRefusal,
} from '../streaming/index.ts';
import type { HttpRequest } from './http-message.ts';
import type { OutputFormat } from './media-type.ts';
import { offeredProtocols, type Upgrade } from './upgrade.ts';
import { watchMessages } from './watch-encoding.ts';
import { WatchWriter } from './watch-writer.ts';

/** What is answered instead of an upgrade. */
export type Refusal = Extract<ApiResponse, { kind: 'text' }>;

/** A connection about to be given away: after the head of the answer nothing but the new protocol may write to it. */
export interface TakenOver {
  /** The head of the 101 answer. */
  readonly head: string;
  /** Runs the new protocol. Resolves when the connection is done with. */
  run(socket: Duplex): Promise<void>;
}

export interface TakeOverOptions {
  readonly clock: Clock;
  /** Of the events of a watch. */
  readonly format: OutputFormat;
}

/** Prepares to go on with a session, with bytes or with a watch over the upgraded connection; or refuses. */
export async function takeOver(
  request: HttpRequest,
  { kind }: Upgrade,
  answer: Extract<ApiResponse, { kind: 'upgrade' | 'bytes' | 'watch' }>,
  { clock, format }: TakeOverOptions,
): Promise<TakenOver | Refusal> {
  if (answer.kind === 'watch') return webSocketWatch(request, answer, format, clock);
  if (answer.kind === 'bytes') {
    return overWebSocket(
      request,
      bytesProtocols,
      (chosen) => (socket) => bytesOverWebSocket(socket, answer.body, chosen, clock),
      clock,
    );
  }
  const session = answer.body;
  if (session.kind === 'command') {
    return kind === 'spdy' ? spdyCommand(request, session, clock) : webSocketCommand(request, session, clock);
  }
  if (session.kind === 'portforward') {
    return kind === 'spdy' ? spdyPorts(request, session, clock) : webSocketPorts(request, session, clock);
  }
  return throughProxy(session);
}

/** The server behind the proxy has switched: what it answered is passed on, and then everything. */
function throughProxy({ headers, connection }: TunnelSession): TakenOver {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}\r\n`));
  return {
    head: `HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`,
    // Whoever breaks off ends both; there is nobody left to be told.
    run: (socket) => join(socket, connection, new AbortController().signal).catch(() => void socket.destroy()),
  };
}

/** Watches choose no subprotocol: the only one offered is taken. Only programs of pages are welcome: an origin is asked for. */
async function webSocketWatch(
  request: HttpRequest,
  { stream }: Extract<ApiResponse, { kind: 'watch' }>,
  format: OutputFormat,
  clock: Clock,
): Promise<TakenOver> {
  const refusal = refusalOf(request) ?? watchRefusal(request);
  if (refusal !== undefined) {
    stream.cancel();
    return refused(refusal, clock);
  }
  const encoding = await watchMessages(format);
  return {
    head: webSocketHead(String(request.headers['sec-websocket-key']), offeredProtocols(request)[0]),
    run(socket) {
      const client = new WebSocket(socket, clock);
      const writer = new WatchWriter(client.target(), stream, encoding);
      void client.read(() => undefined).then(() => writer.end());
      return writer.run();
    },
  };
}

/** A path, or something with a scheme. */
const originPattern = /^(?:\/|[a-z][a-z0-9+.-]*:)/i;

function watchRefusal(request: HttpRequest): string | undefined {
  if (!originPattern.test(request.headers.origin ?? '')) return webSocketRefusal(403, '');
  return offeredProtocols(request).length > 1 ? webSocketRefusal(400, '') : undefined;
}

function webSocketCommand(request: HttpRequest, session: CommandSession, clock: Clock): TakenOver {
  const best = 'v5.channel.k8s.io';
  const served = offeredProtocols(request).includes(best) ? ([best] as const) : commandProtocols;
  const runner = (chosen: CommandProtocol) => (socket: Duplex) => commandOverWebSocket(socket, session, chosen, clock);
  return overWebSocket(request, served, runner, clock);
}

function webSocketPorts(request: HttpRequest, session: PortForwardSession, clock: Clock): TakenOver | Refusal {
  const tunnelled = `SPDY/3.1+${spdyPortForwardProtocol}`;
  if (offeredProtocols(request).some((protocol) => protocol === tunnelled))
    return tunnelledPorts(request, session, clock);
  const [port] = session.ports.filter((one) => one < 1);
  if (port !== undefined) return refuse(400, `port "${port}" must be > 0`);
  if (session.ports.length === 0) return refuse(400, 'query parameter "port" is required');
  return overWebSocket(
    request,
    portForwardProtocols,
    (chosen) => (socket) => portsOverWebSocket(socket, session, chosen, clock),
    clock,
  );
}

/** SPDY inside of a WebSocket, whose handshake has other words for its refusals. */
function tunnelledPorts(request: HttpRequest, session: PortForwardSession, clock: Clock): TakenOver | Refusal {
  const code = request.method === 'GET' ? 400 : 405;
  if (refusalOf(request) !== undefined) {
    return { ...refuse(code, `${http().STATUS_CODES[code]}\n`), headers: { 'Sec-Websocket-Version': '13' } };
  }
  return {
    head: webSocketHead(String(request.headers['sec-websocket-key']), `SPDY/3.1+${spdyPortForwardProtocol}`),
    run: (socket) => portsOverSpdy(tunnel(socket, clock), session, clock),
  };
}

const spdyCommand = (request: HttpRequest, session: CommandSession, clock: Clock): TakenOver | Refusal =>
  overSpdy(request, spdyCommandProtocols, (chosen) => (socket) => commandOverSpdy(socket, session, chosen, clock));

const spdyPorts = (request: HttpRequest, session: PortForwardSession, clock: Clock): TakenOver | Refusal =>
  overSpdy(request, [spdyPortForwardProtocol], () => (socket) => portsOverSpdy(socket, session, clock));

/** The handshake of RFC 6455, with the first offered subprotocol that is served; `''` stands for none. */
function overWebSocket<P extends string>(
  request: HttpRequest,
  served: readonly P[],
  runner: (chosen: P) => TakenOver['run'],
  clock: Clock,
): TakenOver {
  const chosen = firstServed(offeredProtocols(request, ['']), served);
  const refusal = refusalOf(request) ?? (chosen === undefined ? webSocketRefusal(403, '') : undefined);
  if (chosen === undefined || refusal !== undefined) return refused(refusal ?? '', clock);
  return { head: webSocketHead(String(request.headers['sec-websocket-key']), chosen), run: runner(chosen) };
}

/** What is answered to a request that is no handshake of RFC 6455. */
function refusalOf({ headers, method }: HttpRequest): string | undefined {
  if (method !== 'GET') return webSocketRefusal(405, 'bad method');
  if (!headers['sec-websocket-key']) return webSocketRefusal(400, 'mismatch challenge/response');
  if (headers['sec-websocket-version'] === '13') return undefined;
  return webSocketRefusal(400, 'missing or bad WebSocket Version', ['Sec-WebSocket-Version: 13']);
}

/** The answer is the last that the connection is used for. */
const refused = (head: string, clock: Clock): TakenOver => ({
  head,
  async run(socket) {
    new Wire(socket, clock).end();
    socket.resume();
  },
});

/** The negotiation of Kubernetes' SPDY: the first version the client offers that is served. */
function overSpdy<P extends string>(
  request: HttpRequest,
  served: readonly P[],
  runner: (chosen: P) => TakenOver['run'],
): TakenOver | Refusal {
  const header = request.headers['x-stream-protocol-version'];
  if (header === undefined) {
    const count = Object.keys(request.headers).length;
    return refuse(
      400,
      `unable to upgrade: header X-Stream-Protocol-Version does not exist in request with ${count} headers\n`,
    );
  }
  const offered = String(header)
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== '');
  const chosen = firstServed(offered, served);
  if (chosen !== undefined) return { head: spdyHead(chosen), run: runner(chosen) };
  if (offered.length === 0) {
    return refuse(400, 'unable to upgrade: header X-Stream-Protocol-Version contains [], but no valid protocols\n');
  }
  const list = (protocols: readonly string[]) => `[${protocols.join(' ')}]`;
  const text = `unable to upgrade: unable to negotiate protocol: client supports ${list(offered)}, server accepts ${list(served)}\n`;
  return { ...refuse(403, text), headers: { 'X-Accepted-Stream-Protocol-Versions': served.join(', ') } };
}

const firstServed = <P extends string>(offered: readonly string[], served: readonly P[]): P | undefined =>
  offered.flatMap((protocol) => served.filter((one) => one === protocol))[0];

const refuse = (code: number, body: string): Refusal => ({ kind: 'text', code, body });
