import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@coxswain/runtime/core';
import type { ApiResponse } from '../apiserver/types.ts';
import { type CommandProtocol, commandOverWebSocket, commandProtocols, webSocketHead } from '../streaming/index.ts';
import type { Upgrade } from './upgrade.ts';

type Refusal = Extract<ApiResponse, { kind: 'text' }>;

/** Gives the socket away: from here on nothing but the new protocol may write to it. */
export interface TakenOver {
  /** Runs the new protocol. Resolves when the connection is done with. */
  run(socket: Duplex): Promise<void>;
  /** The head of the 101 answer. */
  readonly answer: string;
}

/** Prepares to serve a session over the upgraded connection, or refuses with an answer. */
export function takeOver(
  request: IncomingMessage,
  upgrade: Upgrade,
  session: Extract<ApiResponse, { kind: 'upgrade' }>['body'],
  clock: Clock,
): TakenOver | Refusal {
  if (upgrade.kind === 'websocket' && session.kind === 'command') {
    const chosen = chooseProtocol(request, commandProtocols, 'v5.channel.k8s.io');
    if (typeof chosen !== 'string') return chosen;
    return {
      answer: webSocketHead(String(request.headers['sec-websocket-key']), chosen),
      run: (socket) => commandOverWebSocket(socket, session, chosen as CommandProtocol, clock),
    };
  }
  return { kind: 'text', code: 400, body: 'unable to upgrade' };
}

/** The subprotocols a client of a WebSocket offers, in its order. */
export function offeredProtocols({ headers }: IncomingMessage): string[] {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return offered.filter((protocol) => protocol !== '');
}

/** The first offered subprotocol that is served. @param best taken wherever it stands in the offer */
function chooseProtocol(request: IncomingMessage, served: readonly string[], best?: string): string | Refusal {
  const { headers, method } = request;
  if (method !== 'GET') return refuse(405, 'bad method');
  if (!headers['sec-websocket-key']) return refuse(400, 'mismatch challenge/response');
  if (headers['sec-websocket-version'] !== '13')
    return { ...refuse(400, 'missing or bad WebSocket Version'), headers: { 'Sec-WebSocket-Version': '13' } };
  const offered = offeredProtocols(request);
  if (best !== undefined && offered.includes(best)) return best;
  return (offered.length === 0 ? [''] : offered).find((protocol) => served.includes(protocol)) ?? refuse(403, '');
}

const refuse = (code: number, body: string): Refusal => ({ kind: 'text', code, body });
