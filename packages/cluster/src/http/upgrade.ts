import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** A client that wants to go on with another protocol on its connection. */
export interface Upgrade {
  readonly kind: 'websocket' | 'spdy';
  readonly socket: Duplex;
  /** What the client sent after its request. */
  readonly head: Buffer;
}

/** Which other protocol is asked for, of those there are. */
export function upgradeKind({ headers }: IncomingMessage): Upgrade['kind'] | undefined {
  const wish = headers.upgrade?.trim().toLowerCase();
  return wish === 'websocket' ? 'websocket' : wish?.includes('spdy/3.1') ? 'spdy' : undefined;
}
