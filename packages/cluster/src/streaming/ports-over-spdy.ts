import type { Duplex } from 'node:stream';
import type { Clock, Timer } from '@coxswain/runtime/core';
import type { PortForwardSession } from '../apiserver/streams.ts';
import { streamPatience } from './command-over-spdy.ts';
import { SpdyConnection, type SpdyStream } from './spdy/connection.ts';

export const spdyPortForwardProtocol = 'portforward.k8s.io';

/** The two streams of one forwarded connection; the client opens one after the other. */
interface Pair {
  error?: SpdyStream;
  data?: SpdyStream;
  readonly patience: Timer;
}

/** Forwards ports for the client of an upgraded connection. Resolves when the connection is done with. */
export async function portsOverSpdy(stream: Duplex, session: PortForwardSession, clock: Clock): Promise<void> {
  const gone = new AbortController();
  const pairs = new Map<string, Pair>();
  const connection = new SpdyConnection(stream, clock, (opened) => {
    const type = opened.headers.get('streamtype');
    if (portOf(opened) === undefined || (type !== 'error' && type !== 'data')) return false;
    const id = requestOf(opened, type);
    const pair = pairs.get(id) ?? newPair(id);
    if (pair[type]) return false;
    pair[type] = opened;
    if (pair.error && pair.data) {
      forget(id);
      void forward(session, pair.error, pair.data, gone.signal, connection);
    }
    return true;
  });
  const newPair = (id: string): Pair => {
    const patience = clock.after(streamPatience, () => {
      const { error, data } = forget(id) ?? {};
      error?.channel.end('timed out waiting for streams');
      if (data) connection.reset(data);
    });
    const pair = { patience };
    pairs.set(id, pair);
    return pair;
  };
  const forget = (id: string): Pair | undefined => {
    const pair = pairs.get(id);
    pair?.patience.cancel();
    pairs.delete(id);
    return pair;
  };
  await connection.run();
  gone.abort();
  for (const id of [...pairs.keys()]) forget(id);
}

async function forward(
  session: PortForwardSession,
  error: SpdyStream,
  data: SpdyStream,
  signal: AbortSignal,
  connection: SpdyConnection,
): Promise<void> {
  try {
    await session.connect(portOf(data) ?? 0, data.channel, signal);
    await Promise.all([data.channel.flushed(), error.channel.flushed()]);
  } catch (reason) {
    error.channel.write(reason instanceof Error ? reason.message : String(reason));
    await error.channel.flushed();
    connection.reset(data);
    connection.reset(error);
  }
}

function portOf({ headers }: SpdyStream): number | undefined {
  const text = headers.get('port') ?? '';
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 0xffff ? port : undefined;
}

/** Clients older than the header open the error stream first, and the data stream right after it. */
function requestOf({ id, headers }: SpdyStream, type: 'error' | 'data'): string {
  return headers.get('requestid') || String(type === 'error' ? id : id - 2);
}
