import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import { unauthorized } from './status.ts';

/** A client that wants to go on with another protocol on its connection. */
export interface Upgrade {
  readonly kind: 'websocket' | 'spdy';
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

interface Asking {
  readonly headers: IncomingHttpHeaders;
}

/** Which other protocol is asked for, of those there are. */
export function upgradeKind({ headers }: Asking): Upgrade['kind'] | undefined {
  const wish = headers.upgrade?.trim().toLowerCase();
  return wish === 'websocket' ? 'websocket' : wish?.includes('spdy/3.1') ? 'spdy' : undefined;
}

/** A bearer token among the subprotocols: browsers can set no other header. */
const bearerPrefix = 'base64url.bearer.authorization.k8s.io.';

/** The subprotocols the client of a WebSocket offers, in its order, without the one that carries its token. */
export function offeredProtocols(request: Asking, ifNone: readonly string[] = []): readonly string[] {
  const offered = allProtocols(request).filter((protocol) => !protocol.startsWith(bearerPrefix));
  return offered.length > 0 ? offered : ifNone;
}

/** The bearer token among the subprotocols; `undefined` when there is none. @throws ApiError 401 when it cannot be one */
export function protocolToken(request: Asking): string | undefined {
  if (upgradeKind(request) !== 'websocket') return undefined;
  const [protocol, ...more] = allProtocols(request).filter((one) => one.startsWith(bearerPrefix));
  if (protocol === undefined) return undefined;
  const encoded = protocol.slice(bearerPrefix.length);
  const token = Buffer.from(encoded, 'base64url');
  const isEncoded = token.toString('base64url') === encoded && isUtf8(token);
  // Something must be left to choose, or the client takes the answer for a failure.
  if (more.length > 0 || !isEncoded || offeredProtocols(request).length === 0) throw unauthorized();
  return token.toString() || undefined;
}

function allProtocols({ headers }: Asking): string[] {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((protocol) => protocol.trim());
  return offered.filter((protocol) => protocol !== '');
}
